package serverconn

// phase is the stage of a connection's life. It only goes forward; phases may be skipped.
type phase uint8

const (
	serving   phase = iota
	draining        // the first GOAWAY was sent: requests that the client has sent before it knew still get responses
	refusing        // the last GOAWAY was sent: further streams are refused
	finishing       // all responses have been written: the connection ends when they have arrived
	over            // the connection has ended; handlers may still run
	left            // none of them does
)

// advance goes on to a phase. It returns false if p is in that phase already, or in a later one.
func (p *phase) advance(to phase) bool {
	if *p >= to {
		return false
	}
	*p = to
	return true
}

// refuses reports whether streams are refused.
func (p phase) refuses() bool { return p >= refusing }
