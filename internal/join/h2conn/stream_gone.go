package h2conn

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// OnGone calls f once, on a new goroutine, when the peer resets the stream or closes the connection. A second OnGone or
// OnGoneInline replaces the first.
func (s *Stream) OnGone(f func()) netconn.GoneCall { return s.setOnGone(&goneHook{f: f}) }

// OnGoneInline is OnGone for an f that is called on the goroutine that notices, with the lock held: before a read or write
// that fails for that reason returns. f must not block and must not use the connection. If the peer has gone already, f is
// called before OnGoneInline returns.
func (s *Stream) OnGoneInline(f func()) netconn.GoneCall {
	return s.setOnGone(&goneHook{f: f, inline: true})
}

func (s *Stream) setOnGone(w *goneHook) netconn.GoneCall {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	w.session = c
	s.onGone.remove()
	s.onGone = w
	if s.hasGoneLocked() {
		w.run()
	}
	return netconn.GoneCall{Keeper: w}
}

// hasGoneLocked reports whether the peer is known to have gone.
func (s *Stream) hasGoneLocked() bool { return s.gone || s.writer.err != nil || s.conn.ended }

// Gone reports whether the peer has reset the stream, has closed its half or the connection, or whether the connection has
// failed. What is not known already it asks the system, for one system call. Any goroutine may call it until EndLocked.
func (s *Stream) Gone() bool {
	s.conn.mu.Lock()
	gone := s.hasGoneLocked()
	s.conn.mu.Unlock()
	return gone || s.conn.link.Lost()
}

// NoteGone makes Gone return true and calls the OnGone function. Any goroutine may call it until EndLocked.
func (s *Stream) NoteGone() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.gone = true
	s.onGone.run()
}
