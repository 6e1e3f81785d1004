package h2conn

import "time"

// AllowPauses exempts the stream from the minimum rate, from the next wait on: its peer may be waiting for us. Another
// goroutine may be reading.
func (s *Stream) AllowPauses() {
	s.conn.mu.Lock()
	s.reader.noMinRate = true
	s.conn.mu.Unlock()
}

// Unread returns the bytes that were received and not taken yet. They are only valid until the next Fill.
func (s *Stream) Unread() []byte { return s.reader.unread() }

// Take removes the first n bytes from Unread.
func (s *Stream) Take(n int) { s.reader.off += n }

// Read reads from Unread, or waits for the next bytes if that is empty.
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.Unread()) == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		if _, err := s.Fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.Unread())
	s.Take(n)
	return n, nil
}

// Fill waits until more bytes have been received and returns Unread, which also holds the bytes that were unread before.
// It fails with io.EOF at the end of the peer's message, with io.ErrUnexpectedEOF if the connection ended before that,
// with netconn.ErrSlow after the deadline or below the minimum rate, or with the error that the stream was reset with.
func (s *Stream) Fill() ([]byte, error) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.reader.fill(s.conn, s.wire)
}

// TakeWholeLocked returns all unread bytes if the peer's message has arrived whole and none of it was read yet. p is from
// bufpool and belongs to the caller.
func (s *Stream) TakeWholeLocked() (p []byte, ok bool) { return s.reader.takeWhole(s.conn, s.wire) }

// WaitLocked waits until WakeLocked is called, the stream's input ends or done is closed; done may be nil. It returns an
// error if the input had already ended (io.EOF after a complete message), and netconn.ErrSlow if the read deadline had
// passed. A nil error means only that the caller should look again: WaitLocked may also return for no reason. It may only
// be called by the goroutine that reads. The lock is released while it waits.
func (s *Stream) WaitLocked(done <-chan struct{}) error { return s.reader.wait(s.conn, done) }

// WakeLocked wakes the goroutine in WaitLocked.
func (s *Stream) WakeLocked() { s.reader.signal() }

// SetReadDeadline sets the deadline of reads, including one that waits; the zero time is none. Any goroutine may call it
// until EndLocked.
func (s *Stream) SetReadDeadline(t time.Time) error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.reader.setDue(s.conn.link.DueOf(t))
	return nil
}

// SetReadTimeoutLocked sets the read deadline to d from now; 0 is none.
func (s *Stream) SetReadTimeoutLocked(d time.Duration) {
	s.reader.setDue(s.conn.link.DueIn(max(d, 0)))
}

// ReadExpired reports whether the read deadline has passed. Read returns what has arrived even then.
func (s *Stream) ReadExpired() bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.reader.passed(s.conn)
}
