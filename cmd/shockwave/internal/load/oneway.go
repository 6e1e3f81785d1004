package load

import (
	"context"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// One-way messages are sent by a goroutine for each connection, the sender. It runs as long as there is something to
// send:
//
//	pump ─► sender: claim ─► Write ─► sent ─► claim … ─► nothing is due: it ends
//	                                            └─► the time is over: our direction ends; wait for the other side's end
//
// A message counts as sent when the kernel has accepted it. The other side has read all messages when it ends its
// direction after ours has ended: if it closes with bytes unread, the kernel resets the connection, which is an error.
// If the other side ends by itself at the same moment, that looks the same.

// startSender starts a sender unless one is running. mu must be held.
func (s *slot) startSender() {
	if !s.writing {
		s.writing = true
		s.run.writers.Go(s.sender(s.conn))
	}
}

// sender returns a function that sends on c until nothing is due.
func (s *slot) sender(c *netconn.Conn) func() {
	return func() {
		for {
			messages, ends := s.claim(c)
			switch {
			case ends:
				s.endHalf(c)
				return
			case messages == nil:
				return
			}
			if _, err := c.Write(messages); err != nil {
				return // End handles the error
			}
			s.sent(c)
		}
	}
}

// claim puts the messages of the next write in flight and returns them. Without messages the sender must return; ends
// reports that it must end our direction before that.
func (s *slot) claim(c *netconn.Conn) (messages []byte, ends bool) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	r, n := s.run, 0
	switch {
	case s.conn != c || s.shard.over:
		return nil, false // the slot's next connection has its own sender
	case s.shard.ending:
		s.sentEnd = true
		return nil, true
	}
	most := r.depth
	if r.req.batch == nil {
		most = 1
	}
	now := r.now()
	if r.schedule.rate > 0 {
		n = s.pumpDue(now, r.started.Load(), most)
	} else if n = r.quota.take(most); n > 0 {
		s.flight.push(now, now, n)
	}
	if n == 0 {
		s.writing = false
		return nil, false
	}
	s.shard.inFlight += int64(n)
	first := s.turn
	s.turn = r.req.turns.after(first, n)
	if r.req.batch == nil {
		return r.req.bodies[first], false
	}
	return r.req.batch[r.req.starts[first]:r.req.starts[first+n]], false
}

// sent counts the messages in flight as sent.
func (s *slot) sent(c *netconn.Conn) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if s.conn != c || s.shard.over {
		return
	}
	for now := s.run.now(); s.flight.total > 0; {
		s.settle(now, nil)
	}
}

// closeFrame is the payload of a close frame with code 1000.
var closeFrame, _ = wsframe.AppendClose(nil, wsframe.CloseNormal, "")

// endHalf ends our direction of c. If that fails the connection ends and End is called.
func (s *slot) endHalf(c *netconn.Conn) {
	if s.run.req.message.handshake == nil {
		_ = c.CloseWrite()
		return
	}
	frame := appendMasked(nil, wsframe.Final(wsframe.Close), closeFrame)
	_ = c.WriteUnit(context.Background(), netconn.Final, nil, frame)
}

// endConns ends every connection and waits until they have ended, or until none has ended for Timeout. In the latter
// case it returns how long it waited since the last end.
func (r *run) endConns() (vain time.Duration) {
	for _, sh := range r.shards {
		sh.mu.Lock()
		sh.ending = true
		for _, s := range sh.slots {
			if s.conn != nil {
				s.startSender()
			}
		}
		sh.mu.Unlock()
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	last, open := time.Now(), r.open.Load()
	for ; open > 0; <-ticker.C {
		if now := r.open.Load(); now != open {
			last, open = time.Now(), now
		} else if vain = time.Since(last); vain > r.cfg.Timeout {
			r.abortAll()
			return vain
		}
	}
	return 0
}

// abortAll aborts the connections that have not ended.
func (r *run) abortAll() {
	for _, s := range r.slots {
		s.shard.mu.Lock()
		c := s.conn
		s.cause = timedOut
		s.shard.mu.Unlock()
		if c != nil {
			c.Abort()
		}
	}
	for r.open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// closeOneWay counts the end of a one-way connection. The messages are known to be read only if the other side has
// ended its direction after ours. mu must be held.
func (s *slot) closeOneWay(err error) {
	t, left := s.shard.now, int64(s.flight.total)
	s.shard.inFlight -= left
	s.run.quota.settle(left)
	s.flight.clear()
	switch {
	case s.cause == timedOut:
		t.errors.Timeout += max(left, 1)
	case s.cause == badInput:
		t.errors.Protocol++
	case left == 0 && s.sentEnd && s.endedInOrder(err):
		t.confirmed++
	default:
		t.errors.Closed += max(left, 1)
	}
}

// endedInOrder reports whether the other side has ended its direction: by a close frame, or by FIN. With TLS a FIN
// without a close_notify alert also counts, because many programs do not send the alert.
func (s *slot) endedInOrder(err error) bool {
	if s.run.req.message.handshake != nil {
		return s.peerEnded
	}
	return err == io.EOF || err == io.ErrUnexpectedEOF
}
