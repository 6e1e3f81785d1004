package tcpmux

import "time"

// notice is one pending call of Config.OnBroken or Config.OnResumed.
type notice struct {
	err    error // set: OnBroken is called; nil: OnResumed
	outage time.Duration
}

// notices are the calls of OnBroken and OnResumed to be made. They are made in order, on a goroutine that runs only while
// there are some. The session's lock guards them.
type notices struct{ waiting []notice }

// notifyLocked has Config.OnBroken or Config.OnResumed called.
func (s *Session) notifyLocked(x notice) {
	if x.err != nil && s.cfg.OnBroken == nil || x.err == nil && s.cfg.OnResumed == nil {
		return
	}
	if s.notices == nil {
		s.notices = new(notices)
		go s.deliverNotices()
	}
	s.notices.waiting = append(s.notices.waiting, x)
}

func (s *Session) deliverNotices() {
	for {
		s.mu.Lock()
		n := s.notices
		if len(n.waiting) == 0 {
			s.notices = nil
			s.mu.Unlock()
			return
		}
		x := n.waiting[0]
		n.waiting = n.waiting[1:]
		s.mu.Unlock()
		if x.err != nil {
			s.cfg.OnBroken(s, x.err)
		} else {
			s.cfg.OnResumed(s, x.outage)
		}
	}
}
