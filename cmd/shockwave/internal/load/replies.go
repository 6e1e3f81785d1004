package load

// replyReader reads the input of a connection over which messages are sent. It belongs to the connection's goroutine.
type replies interface {
	// restart prepares for a new connection.
	restart()
	// read consumes the messages in b and counts complete ones. s.shard.mu must be held. An error says how the
	// connection is to end.
	read(s *seat, b []byte, now int64) (taken int, err error)
	// midMessage reports whether a message has begun and is not complete.
	amid() bool
}

func newReplies(m *message) replies {
	if m.hello == nil {
		return newStreamEcho(m)
	}
	return newEcho(m)
}
