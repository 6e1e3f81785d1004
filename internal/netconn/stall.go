package netconn

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/clock"
)

// stall is the state of waiting for the peer to take output. The waiting is done by the flusher's goroutine or, for a
// flight left in the queue, by the lot. The flusher owns the stall.
type stall struct {
	account   writeAccount
	progress  clock.Moment // when the wait began or the peer last took something; 0: no wait
	leftAt    clock.Moment // when the flight was left to the lot; 0: none is
	flushLeft func()       // Output.flushLeft as a value; never changed
	resume    func()       // Output.resume as a value; never changed
	raw       syscall.RawConn
}

// addWait accounts for a wait that ended at now, in which n bytes were sent.
func (s *stall) addWait(now clock.Moment, waited int64, n int) {
	s.account.waited += waited
	if n > 0 {
		s.progress = now
	}
}

// endLotWait ends and accounts for the lot's wait.
func (s *stall) endLotWait(now clock.Moment) {
	if s.leftAt != 0 {
		s.account.waited += max(now-s.leftAt, 0)
		s.leftAt = 0
	}
}
