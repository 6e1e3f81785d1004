package drive

import "time"

// part ends every one-way connection and waits until they have ended, or until none has ended for Timeout. In the latter
// case it returns how long it waited since the last end.
func part(st *state, slots []*Slot) (vain time.Duration) {
	for _, s := range slots {
		s.Lock()
		s.ending = true
		s.Unlock()
	}
	for _, s := range slots {
		s.nudge(st.now())
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	last, open := time.Now(), st.open.Load()
	for ; open > 0; <-ticker.C {
		if now := st.open.Load(); now != open {
			last, open = time.Now(), now
		} else if vain = time.Since(last); vain > st.plan.Timeout {
			abortAll(st, slots)
			return vain
		}
	}
	return 0
}

// abortAll aborts the connections that have not ended.
func abortAll(st *state, slots []*Slot) {
	for _, s := range slots {
		if c := s.current(); c != nil {
			c.Abort()
		}
	}
	for st.open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}
