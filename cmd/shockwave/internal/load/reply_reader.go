package load

// replyReader reads the input of a connection over which messages are sent. It belongs to the connection's goroutine.
type replyReader interface {
	// restart prepares for a new connection.
	restart()
	// read consumes the messages in b and counts complete ones. s.shard.mu must be held. An error says how the
	// connection is to end.
	read(s *slot, b []byte, now int64) (taken int, err error)
	// midMessage reports whether a message has begun and is not complete.
	midMessage() bool
}

func newReplyReader(m *message) replyReader {
	if m.handshake == nil {
		return newStreamEcho(m)
	}
	return newEcho(m)
}
