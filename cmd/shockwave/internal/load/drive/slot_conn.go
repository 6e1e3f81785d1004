package drive

import "time"

// Attach makes c the slot's connection. It returns ErrOver if it is too late for that; then c must end, and not call Ended.
func (s *Slot) Attach(c Conn) error {
	if s.over || s.ending {
		return ErrOver
	}
	s.conn, s.useful, s.failingSince = c, false, 0
	s.state.open.Add(1)
	s.state.outages.End(s.Now())
	s.settle(true)
	return nil
}

// Restart makes the next request the first one: a new connection knows nothing of the requests before it.
func (s *Slot) Restart() { s.turn = 0 }

// Turn returns the index of the request to send next.
func (s *Slot) Turn() int { return s.turn }

// Ended is called once, when an attached connection has ended and all its requests are counted. orderly says that the
// server had announced it, so that another attempt need not wait.
func (s *Slot) Ended(orderly bool) {
	s.conn = nil
	if s.state.open.Add(-1) == 0 {
		s.state.outages.Emptied(s.Now())
	}
	if s.useful || orderly {
		s.pause = 0
	} else {
		s.lengthenPause()
	}
	if !s.over && !s.ending {
		s.queueAfter(s.pause)
	}
}

// Bounds of the pause before a slot whose last connection brought no response is filled again.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

func (s *Slot) lengthenPause() { s.pause = min(max(2*s.pause, firstPause), lastPause) }

// queueAfter queues s for opening a connection after a pause. The queue has room for all slots, and each is in it at most
// once.
func (s *Slot) queueAfter(pause time.Duration) {
	if pause == 0 {
		s.queue <- s
		return
	}
	time.AfterFunc(pause, func() { s.queue <- s })
}

// settle records that the slot has its first connection, or that it has been given up for now.
func (s *Slot) settle(open bool) {
	first := !s.everOpen && !s.givenUp
	if open && !s.everOpen {
		s.state.everOpen.Add(1)
	}
	s.everOpen = s.everOpen || open
	s.givenUp = s.givenUp || !open
	s.state.progress.Store(s.Now())
	if first {
		s.state.settled.Add(1)
	}
}
