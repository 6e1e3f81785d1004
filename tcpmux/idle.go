package tcpmux

import "time"

// idleTime is the time since which a session has had no channels, on the clock of its connection; 0 while it has some, or was not
// looked at. The session's lock guards it.
type idleTime int64

// exceeds reports, at now, whether the session has been idle for timeout. 0 means no timeout. It is to be called now and then.
func (t *idleTime) exceeds(timeout time.Duration, now int64, busy bool) bool {
	if timeout == 0 || busy {
		*t = 0
		return false
	}
	if *t == 0 {
		*t = idleTime(now)
	}
	return now-int64(*t) >= int64(timeout)
}
