package tcpmux

// A listener keeps its disconnected sessions so that their peers can resume them. What such a session holds grows while the
// program sends, so its bytes are counted each time its lock is released. The sessions that have been disconnected longest
// are ended when the total exceeds the limit.

// brokenLocked implements origin: it adds s to the disconnected sessions.
func (l *Listener) brokenLocked(s *Session) {
	l.mu.Lock()
	l.unlistWaitingLocked(s)
	l.waiting = append(l.waiting, s)
	tooMany := len(l.waiting) > l.cfg.MaxWaiting
	l.mu.Unlock()
	if tooMany || l.heldBytes.Load() > l.cfg.WaitingBytes { // its bytes may have been counted before it was added
		l.evictSoon()
	}
}

// countHeldLocked implements origin: it updates the listener's count of held bytes by those of s, which are 0 while it is connected.
func (l *Listener) countHeldLocked(s *Session) {
	n := int64(0)
	if s.conn == nil && s.end == nil {
		n = int64(s.core.Kept() + s.core.Buffered())
	}
	more := n > s.countedHeld
	held := l.heldBytes.Add(n - s.countedHeld)
	if s.countedHeld = n; more && held > l.cfg.WaitingBytes {
		l.evictSoon()
	}
}

// evictSoon runs evict on a goroutine, once at a time.
func (l *Listener) evictSoon() {
	if l.evicting.CompareAndSwap(false, true) {
		go l.evict()
	}
}

// evict ends disconnected sessions until the rest are within MaxWaiting and WaitingBytes.
func (l *Listener) evict() {
	l.evicting.Store(false)
	l.mu.Lock()
	waiting := append([]*Session(nil), l.waiting...)
	l.mu.Unlock()
	var held int64
	for i := len(waiting) - 1; i >= 0; i-- {
		s := waiting[i]
		s.mu.Lock()
		held += s.countedHeld
		if s.conn == nil && (len(waiting)-i > l.cfg.MaxWaiting || held > l.cfg.WaitingBytes) {
			s.loseLocked(ErrEvicted, SideLocal)
		}
		s.unlock()
	}
}

// attachedLocked implements origin: it removes s from the disconnected sessions.
func (l *Listener) attachedLocked(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unlistWaitingLocked(s)
}

// unlistWaitingLocked removes s from the disconnected sessions if it is one of them. l.mu is held, too.
func (l *Listener) unlistWaitingLocked(s *Session) {
	for i, x := range l.waiting {
		if x == s {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return
		}
	}
}
