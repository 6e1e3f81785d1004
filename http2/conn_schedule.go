package http2

// NextSender returns the stream that should send next, nil if no ready stream has an open window. It prefers the most
// urgent streams (RFC 9218 §10). Among those it alternates between the stream with the lowest identifier and the
// incremental streams, which take turns. If the client never sends a priority signal, all its streams count as
// incremental. The owner then appends DATA of that stream; the fewer bytes it appends at once, the more evenly streams
// share the connection.
func (c *Conn) NextSender() *Stream {
	if c.core.send.left <= 0 || c.core.err != nil {
		return nil
	}
	return c.core.sched.next()
}

// Ready marks a stream that has DATA to send. The mark stays until Unready, or until our message or the stream ends.
func (c *Conn) Ready(s *Stream, now int64) {
	if s.turn != turnNone || !s.phase.maySend() || c.core.err != nil {
		return
	}
	c.core.now = now
	c.core.armStall(s)
	c.core.sched.ready(s)
}

// Unready removes the mark: the stream has nothing to send for now.
func (c *Conn) Unready(s *Stream) { c.core.sched.unready(s) }

// SetPriority sets the priority of a stream, for example from the priority field of the response (RFC 9218 §8).
func (c *Conn) SetPriority(s *Stream, p PriorityParams) { c.core.sched.setPriority(s, p) }

// SendWindow returns how many bytes of DATA the connection's window lets through now.
func (c *Conn) SendWindow() int { return int(c.core.send.left) }
