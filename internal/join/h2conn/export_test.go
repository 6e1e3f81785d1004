package h2conn

// Reads reports whether a goroutine waits in Fill or Wait, and Writes whether one waits in Send.
func (s *Stream) Reads() bool  { return s.waits(&s.reader.waiter) }
func (s *Stream) Writes() bool { return s.waits(&s.writer.waiter) }

func (s *Stream) waits(w *waiter) bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return w.waiting
}

// The limits of the connection's output buffer.
const (
	DirectLimit = directLimit
	HeadLimit   = headLimit
)
