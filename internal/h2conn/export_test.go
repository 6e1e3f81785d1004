package h2conn

// Reads reports whether a goroutine waits in Fill or Wait, Writes whether one does in Send.
func (s *Stream) Reads() bool  { return s.waits(&s.reader.waiter) }
func (s *Stream) Writes() bool { return s.waits(&s.writer.waiter) }

func (s *Stream) waits(w *waiter) bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return w.waiting
}

// DirectLimit is how much waits in the connection's own buffer, and HeadLimit how much before who says heads waits, too.
const (
	DirectLimit = directLimit
	HeadLimit   = headLimit
)
