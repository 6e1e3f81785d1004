package load

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// closedByServer returns how to end a connection whose server has announced that it closes. If a writer is still busy
// with a request that has already been answered, the connection is aborted.
func (s *slot) closedByServer() error {
	s.cause = lastAnswer
	if s.writing {
		return netconn.ErrAbort
	}
	return netconn.ErrDone
}

// End implements netconn.Protocol. It counts the unanswered requests and queues the slot for a new connection.
func (s *slot) End(c *netconn.Conn, err error) {
	s.shard.mu.Lock()
	now := s.run.now()
	if s.run.open.Add(-1) == 0 {
		s.run.outages.emptied(now)
	}
	s.conn = nil
	over := s.shard.over
	if !over {
		switch {
		case s.run.oneWay:
			s.closeOneWay(err)
		case err == io.EOF && s.flight.total > 0 && s.response.endOfStream():
			s.answered(now)
			s.cause = lastAnswer
			fallthrough
		default:
			s.closeCounts(now)
		}
	}
	over = over || s.shard.ending
	pause := s.nextPause()
	s.shard.mu.Unlock()
	if !over {
		s.run.opener.queueAfter(s, pause)
	}
}

// closeCounts counts the end of a connection and the requests in flight on it. mu must be held.
func (s *slot) closeCounts(now int64) {
	if s.streams != nil {
		s.streams.close(now)
		return
	}
	t, left := s.shard.now, int64(s.flight.total)
	s.shard.inFlight -= left
	settled := left
	switch {
	case s.cause == lastAnswer || s.cause == noCause && left == 0:
		t.reconnects++
		s.turn = s.nextAnswer
		s.next -= left // these are sent again: a server that closes in an orderly way has not processed them (RFC 9112 §9.6)
		s.run.quota.giveBack(left)
		left, settled = 0, 0
	case s.cause == badInput:
		t.errors.Protocol++
		left = max(left-1, 0)
	case s.cause == timedOut:
		n := s.flight.olderThan(now - int64(s.run.cfg.Timeout))
		t.errors.Timeout += n
		left -= n
	case s.response.inBody:
		t.errors.Length++
		left--
	}
	t.errors.Closed += left
	s.failTargets(settled)
	s.run.quota.settle(settled)
	s.flight.clear()
}

// failTargets counts the next n requests in flight as errors of their URLs.
func (s *slot) failTargets(n int64) {
	targets := s.shard.now.targets
	if targets == nil {
		return
	}
	for range n {
		targets[s.nextAnswer].Errors++
		s.nextAnswer = s.run.req.turns.after(s.nextAnswer, 1)
	}
}

// Bounds of the pause before a slot whose last connection brought no response is filled again.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// nextPause returns how long to wait before the next attempt. It returns 0 if the last connection brought a response.
func (s *slot) nextPause() time.Duration {
	if s.useful || s.cause == lastAnswer {
		s.pause = 0
		return 0
	}
	s.pause = min(max(2*s.pause, firstPause), lastPause)
	return s.pause
}
