package shockwave

// Blame says which end of a connection broke the protocol.
type Blame uint8

const (
	// Peer means that the other end sent something it must not send.
	Peer Blame = iota
	// Local means that this program asked for something that must not be sent.
	Local
)

// String returns "peer" or "local".
func (b Blame) String() string {
	if b == Local {
		return "local"
	}
	return "peer"
}

// ProtocolError is what the error type of every protocol in this module satisfies.
type ProtocolError interface {
	error
	// Blame says who broke the protocol.
	Blame() Blame
	// Reference names the rule, such as "RFC 9112 §5.1".
	Reference() string
}
