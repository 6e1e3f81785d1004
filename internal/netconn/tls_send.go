package netconn

import "github.com/shockwave-go/shockwave/internal/bufpool"

// sealed is how much is encrypted at a time: a whole record of TLS (RFC 8446 §5.1).
const sealed = 16 << 10

// Write is the tls.Conn's, which holds a lock meanwhile that every writer and perhaps the reader needs. So, but for the
// handshake, it does not wait for a socket: what it takes is sent by the flusher that is at work. Without one it is TLS
// itself that speaks, amid a read or at the end. That leaves as far as the socket takes it at once, and the rest with
// what is sent next: an answer to a key update need not come before (RFC 8446 §4.6.3).
func (s *shim) Write(p []byte) (int, error) {
	if s.c == nil {
		return s.below.Write(p)
	}
	if !s.ready {
		if err := s.c.transmit(&leaving{p: p}, false); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sealing && len(s.out) > s.c.eng.cfg.WriteBuffer {
		return 0, ErrSlow // the peer makes TLS speak, and does not listen
	}
	if s.out == nil {
		s.out = bufpool.Get(max(len(p), gatherFrom/4))[:0]
	}
	used := len(s.out)
	s.out = append(bufpool.Grow(s.out, used+len(p))[:used], p...)
	if s.busy {
		return len(p), nil
	}
	return len(p), s.sendNow()
}

// encrypt sends l through the tls.Conn, with as few writes as the bound of the queue allows. It is the flusher's.
func (s *shim) encrypt(l *leaving, direct bool) (err error) {
	s.note(&s.busy, true)
	for l.shift(); len(l.p) > 0 && err == nil; l.shift() {
		if l.p, err = s.seal(l.p); err == nil && s.waiting() >= s.c.eng.cfg.WriteBuffer {
			err = s.send(direct)
		}
	}
	if err == nil && s.c.phase() == endSending {
		s.tls.CloseWrite() // its failure to send would be send's
	}
	if serr := s.send(direct); err == nil {
		err = serr
	}
	if serr := s.finish(); err == nil {
		err = serr
	}
	return err
}

// encryptNow sends what the socket takes of p without waiting. Unless that is all of it, the flusher must go on with
// encrypt for the rest.
func (s *shim) encryptNow(p []byte) (rest []byte, all bool, err error) {
	s.note(&s.busy, true)
	for all = true; len(p) > 0 && all && err == nil; {
		if p, err = s.seal(p); err == nil && (len(p) == 0 || s.waiting() >= s.c.eng.cfg.WriteBuffer) {
			s.mu.Lock()
			err = s.sendNow()
			all = len(s.out) == 0
			s.mu.Unlock()
		}
	}
	if all || err != nil {
		if serr := s.finish(); err == nil {
			err = serr
		}
	}
	return p, all, err
}

// note sets a flag of s.
func (s *shim) note(flag *bool, value bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*flag = value
}

// finish says that no flusher is at work any more, and sends what TLS has said meanwhile.
func (s *shim) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	return s.sendNow()
}

// seal encrypts the beginning of p to out and returns the rest.
func (s *shim) seal(p []byte) (rest []byte, err error) {
	n := min(len(p), sealed)
	s.note(&s.sealing, true)
	_, err = s.tls.Write(p[:n])
	s.note(&s.sealing, false)
	return p[n:], err
}

// waiting returns how many bytes have been encrypted and not been sent.
func (s *shim) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.out)
}

// send sends what was encrypted. It is the flusher's.
func (s *shim) send(direct bool) error {
	s.mu.Lock()
	out := s.out
	s.out = nil
	s.mu.Unlock()
	if len(out) == 0 {
		return nil
	}
	err := s.c.transmit(&leaving{p: out}, direct)
	bufpool.Put(out)
	return err
}

// sendNow sends of what was encrypted as much as the socket takes at once; a transport that cannot be asked is given
// all. Nobody else sends: s.mu is held.
func (s *shim) sendNow() (err error) {
	if len(s.out) == 0 {
		return nil
	}
	rest := s.out[:0]
	if s.c.socket {
		rest, err = s.c.sendOnce(s.out)
	} else {
		err = s.c.transmit(&leaving{p: s.out}, false)
	}
	if s.out = s.out[:copy(s.out, rest)]; len(s.out) == 0 || err != nil {
		bufpool.Put(s.out)
		s.out = nil
	}
	return err
}

// drop gives back what the end of the connection has left.
func (s *shim) drop() {
	s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.busy && s.out != nil {
		bufpool.Put(s.out)
		s.out = nil
	}
}
