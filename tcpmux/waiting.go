package tcpmux

// A listener's sessions whose peers are away wait for them. What they hold grows while the program sends, so each is
// weighed whenever its lock is given back, and those that have waited longest end when it is too much.

// waits puts s among those that wait for their peers; s.mu is held.
func (l *Listener) waits(s *Session) {
	l.mu.Lock()
	l.unlist(s)
	l.waiting = append(l.waiting, s)
	crowd := len(l.waiting) > l.cfg.MaxWaiting
	l.mu.Unlock()
	if crowd || l.held.Load() > l.cfg.WaitingBytes { // it may have been weighed before, when it was not among them
		l.crowded()
	}
}

// weigh counts what s holds, if it waits; s.mu is held.
func (s *Session) weigh() {
	l := s.from
	if l == nil {
		return
	}
	n := int64(0)
	if s.conn == nil && s.end == nil {
		n = int64(s.core.Kept() + s.core.Buffered())
	}
	more := n > s.weighed
	held := l.held.Add(n - s.weighed)
	if s.weighed = n; more && held > l.cfg.WaitingBytes {
		l.crowded()
	}
}

// crowded has those end that are too many.
func (l *Listener) crowded() {
	if l.thinning.CompareAndSwap(false, true) {
		go l.thin()
	}
}

// thin ends sessions until those that wait are within their bounds.
func (l *Listener) thin() {
	l.thinning.Store(false)
	l.mu.Lock()
	waiting := append([]*Session(nil), l.waiting...)
	l.mu.Unlock()
	var held int64
	for i := len(waiting) - 1; i >= 0; i-- {
		s := waiting[i]
		s.mu.Lock()
		held += s.weighed
		if s.conn == nil && (len(waiting)-i > l.cfg.MaxWaiting || held > l.cfg.WaitingBytes) {
			s.lose(ErrCrowded, Us)
		}
		s.unlock()
	}
}

// back takes s out of those that wait.
func (l *Listener) back(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unlist(s)
}

func (l *Listener) unlist(s *Session) {
	for i, x := range l.waiting {
		if x == s {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return
		}
	}
}
