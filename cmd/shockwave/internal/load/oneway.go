package load

import (
	"context"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// What goes one way is sent by a goroutine of each connection, the sender. There is one as long as there is something to
// send:
//
//	pump ─► sender: claim ─► Write ─► left ─► claim … ─► nothing is due: it ends
//	                                            └─► the time is over: our half ends, and the other side's end is waited for
//
// A message has left when the system has taken it. That the other side has read all of them is known when it ends its half,
// too, behind ours. If it closes with bytes unread the system resets the connection, which is an error. An end of its own accord
// that crosses ours cannot be told from an answer.

// startSender has a sender started if none is at work; mu is held.
func (s *seat) startSender() {
	if !s.writing {
		s.writing = true
		s.run.writers.Go(s.sender(s.conn))
	}
}

// sender returns what sends on c until nothing is due.
func (s *seat) sender(c *netconn.Conn) func() {
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
				return // End sees to the rest
			}
			s.left(c)
		}
	}
}

// claim puts as many messages in flight as leave in one write, and returns them. Without any the sender is at its end; ends
// says that our half is, too.
func (s *seat) claim(c *netconn.Conn) (messages []byte, ends bool) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	r, n := s.run, 0
	switch {
	case s.conn != c || s.shard.over:
		return nil, false // the seat's next connection has a sender of its own
	case s.shard.ending:
		s.saidEnd = true
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

// left accounts for the messages in flight, which have left.
func (s *seat) left(c *netconn.Conn) {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if s.conn != c || s.shard.over {
		return
	}
	for now := s.run.now(); s.flight.total > 0; {
		s.settle(now, nil)
	}
}

// goodbye is a close frame with code 1000, as a client sends it.
var goodbye, _ = wsframe.AppendClose(nil, wsframe.CloseNormal, "")

// endHalf ends what is sent on c. If that fails the connection ends, and End says so.
func (s *seat) endHalf(c *netconn.Conn) {
	if s.run.req.message.hello == nil {
		_ = c.CloseWrite()
		return
	}
	frame := appendMasked(nil, wsframe.Kind{Opcode: wsframe.Close, Fin: true}, goodbye)
	_ = c.WriteUnit(context.Background(), netconn.Final, nil, frame)
}

// part ends every connection, and waits until they are over or Timeout has passed in which none has ended. It returns the
// part of that time which was waited in vain.
func (r *run) part() (vain time.Duration) {
	for _, sh := range r.shards {
		sh.mu.Lock()
		sh.ending = true
		for _, s := range sh.seats {
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
			r.giveUp()
			return vain
		}
	}
	return 0
}

// giveUp cuts off what does not end.
func (r *run) giveUp() {
	for _, s := range r.seats {
		s.shard.mu.Lock()
		c := s.conn
		s.cause = tooLate
		s.shard.mu.Unlock()
		if c != nil {
			c.Abort()
		}
	}
	for r.open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// closeOneWay counts the end of a connection on which messages go one way. Only where the other side has ended its half
// behind ours it is known that it has read them all. mu is held.
func (s *seat) closeOneWay(err error) {
	t, left := s.shard.now, int64(s.flight.total)
	s.shard.inFlight -= left
	s.run.quota.settle(left)
	s.flight.clear()
	switch {
	case s.cause == tooLate:
		t.errors.Timeout += max(left, 1)
	case s.cause == nonsense:
		t.errors.Protocol++
	case left == 0 && s.saidEnd && s.endedInOrder(err):
		t.confirmed++
	default:
		t.errors.Closed += max(left, 1)
	}
}

// endedInOrder reports whether the other side has said that nothing follows: by a close frame, or by a FIN, with TLS's closing
// alert or, as from many programs, without.
func (s *seat) endedInOrder(err error) bool {
	if s.run.req.message.hello != nil {
		return s.heardEnd
	}
	return err == io.EOF || err == io.ErrUnexpectedEOF
}
