package netconn

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/clock"
)

// stall is how a connection's peer takes what it is sent, as far as that has to be waited for: by a flusher on its
// goroutine, or, for what was left, by the lot. It is the flusher's.
type stall struct {
	account   writeAccount
	progress  clock.Moment // when the wait began, or the peer last took something; 0: something has been sent since
	leftAt    clock.Moment // since when the lot waits; 0: it does not
	flushLeft func()       // Output.flushLeft; never changed
	resume    func()       // Output.resume; never changed
	raw       syscall.RawConn
}

// wait accounts for a wait that brought n bytes on their way.
func (s *stall) addWait(now clock.Moment, waited int64, n int) {
	s.account.waited += waited
	if n > 0 {
		s.progress = now
	}
}

// unpark ends the lot's wait.
func (s *stall) endLotWait(now clock.Moment) {
	if s.leftAt != 0 {
		s.account.waited += max(now-s.leftAt, 0)
		s.leftAt = 0
	}
}
