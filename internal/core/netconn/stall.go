package netconn

import (
	"sync/atomic"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// stall is the state of waiting for the peer to take output. The waiting is done by the flusher's goroutine or, for a
// flight left in the queue, by the lot. The flusher owns the stall.
type stall struct {
	account   writeAccount
	accepted  atomic.Int64 // bytes that the connection has accepted since there is a stall; any goroutine may read it
	progress  clock.Moment // when the wait began or the peer last took something; 0: no wait
	lookAt    clock.Moment // when to look next whether the peer takes what the system holds; 0: the wait has just begun
	taken     int64        // what the peer had taken at the last look
	looked    bool         // taken is set
	leftAt    clock.Moment // when the flight was left to the lot; 0: none is
	flushLeft func()       // Output.flushLeft as a value; never changed
	resume    func()       // Output.resume as a value; never changed
	raw       syscall.RawConn
}

// beginWait begins a wait at now.
func (s *stall) beginWait(now clock.Moment) { s.progress, s.lookAt, s.looked = now, 0, false }

// takesBy returns when to judge a peer that must take something within limit: when it has taken nothing for so long, or
// earlier, to look whether it takes what the system has accepted. A writer is woken only when much of that has been taken,
// which lasts long on a slow line.
func (s *stall) takesBy(tr *transport.Conn, now clock.Moment, limit int64) clock.Moment {
	switch {
	case !tr.Socket():
		return s.progress + limit // there is nothing to see, and a look may cost the connection
	case s.lookAt == 0:
		s.lookAt = now + limit/4
	case now >= s.lookAt:
		taken := tr.Taken(s.accepted.Load())
		if s.looked && taken > s.taken {
			s.progress = now
		}
		s.taken, s.looked, s.lookAt = taken, true, now+limit/4
	}
	return max(min(s.progress+limit, s.lookAt), 1)
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
