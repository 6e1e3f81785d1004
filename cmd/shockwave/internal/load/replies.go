package load

// replies reads what comes back on a connection over which messages are sent. All of it is the connection's goroutine's.
type replies interface {
	// restart forgets what an earlier connection left in the middle.
	restart()
	// read takes all messages in b, and accounts for those that are whole; s.shard.mu is held. An error says how the
	// connection is to end.
	read(s *seat, b []byte, now int64) (taken int, err error)
	// amid reports whether a message has begun and is not whole.
	amid() bool
}

func newReplies(m *message) replies {
	if m.hello == nil {
		return newStreamEcho(m)
	}
	return newEcho(m)
}
