package load

import (
	"sync"
	"sync/atomic"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// h3Conn runs HTTP/3 on a slot, which has no netconn.Conn then. Each worker keeps one stream open, so that as many requests are
// in flight as there are workers. The shard's lock guards it.
//
//	worker: open a stream ─► wait for a request that may be sent ─► send it ─► read the response ─► count
type h3Conn struct {
	slot      *slot
	quic      *quic.Conn
	may       sync.Cond     // a request may be sent, or none ever will be; its lock is the shard's
	workers   int           // that have not returned
	used      int           // requests in flight
	goingAway bool          // no new requests are sent
	told      chan struct{} // closed by a GOAWAY
	ended     bool          // the connection has ended
	broken    bool          // the server broke a rule
	blame     bool          // of the connection: the next request that fails by its end counts as that error
	left      int           // requests that had no response when the connection ended
	lastInput atomic.Int64
}

// attachH3 starts using c as the slot's connection.
func (s *slot) attachH3(c *quic.Conn) error {
	t := &h3Conn{slot: s, quic: c, workers: s.run.depth, told: make(chan struct{})}
	t.may.L = &s.shard.mu
	t.lastInput.Store(s.run.now())
	s.shard.mu.Lock()
	if s.shard.over {
		s.shard.mu.Unlock()
		return errOver
	}
	s.h3, s.useful, s.failingSince = t, false, 0
	s.shard.mu.Unlock()
	s.run.open.Add(1)
	s.run.outages.end(s.run.now())
	s.run.writers.Go(t.readControl)
	for range s.run.depth {
		s.run.writers.Go(t.work)
	}
	return nil
}

// end ends the connection, and makes the workers return.
func (t *h3Conn) end(code h3frame.Code) { t.quic.CloseWithError(quic.ApplicationErrorCode(code), "") }

// noteEnd is called when the connection has ended.
func (t *h3Conn) noteEnd() {
	t.slot.shard.mu.Lock()
	defer t.slot.shard.mu.Unlock()
	if !t.ended {
		t.ended, t.left = true, t.used
	}
	t.may.Broadcast()
}

// next waits until a request may be sent, and returns its times and index. ok is false if none will be sent any more.
func (t *h3Conn) next() (g sendGroup, turn int, ok bool) {
	sh := t.slot.shard
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for !t.ended && !t.goingAway && !sh.over {
		if g, turn, ok = t.slot.claimOne(t.slot.run.now()); ok {
			t.used++
			return g, turn, true
		}
		t.may.Wait()
	}
	return g, 0, false
}

// work sends requests, one after the other, until the connection ends.
func (t *h3Conn) work() {
	defer t.leave()
	x := h3Exchange{conn: t, in: make([]byte, 0, h3Buffer)}
	for {
		st, err := t.quic.OpenStreamSync(t.quic.Context())
		if err != nil {
			return
		}
		var ok bool
		if x.sent, x.turn, ok = t.next(); !ok {
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
			st.CancelRead(quic.StreamErrorCode(h3frame.RequestCancelled))
			return
		}
		x.run(st)
	}
}

// leave is called when a worker returns. The last one ends the connection, and queues the slot for another one.
func (t *h3Conn) leave() {
	s := t.slot
	s.shard.mu.Lock()
	t.workers--
	last := t.workers == 0
	s.shard.mu.Unlock()
	if !last {
		return
	}
	t.end(h3frame.NoError)
	now := s.run.now()
	if s.run.open.Add(-1) == 0 {
		s.run.outages.emptied(now)
	}
	s.run.h3.add(t.quic)
	s.shard.mu.Lock()
	s.h3 = nil
	over := s.shard.over
	if !over && t.left == 0 && !t.broken {
		s.shard.now.reconnects++
	}
	s.cause = noCause
	pause := s.nextPause()
	s.shard.mu.Unlock()
	if !over {
		s.run.opener.queueAfter(s, pause)
	}
}

// closeH3 ends all connections of HTTP/3.
func (r *run) closeH3() {
	for _, s := range r.slots {
		s.shard.mu.Lock()
		s.shard.over = true
		t := s.h3
		s.shard.mu.Unlock()
		if t != nil {
			t.end(h3frame.NoError)
		}
	}
}

// h3Totals has the bytes of connections that have ended.
type h3Totals struct{ in, out atomic.Int64 }

func (n *h3Totals) add(c *quic.Conn) {
	st := c.ConnectionStats()
	n.in.Add(int64(st.BytesReceived))
	n.out.Add(int64(st.BytesSent))
}

// bytes returns the bytes that the run has received and sent, counted at the transport.
func (r *run) bytes() (in, out int64) {
	if !r.cfg.HTTP3 {
		st := r.engine.Stats()
		return st.BytesIn, st.BytesOut
	}
	in, out = r.h3.in.Load(), r.h3.out.Load()
	for _, s := range r.slots {
		s.shard.mu.Lock()
		t := s.h3
		s.shard.mu.Unlock()
		if t != nil {
			st := t.quic.ConnectionStats()
			in, out = in+int64(st.BytesReceived), out+int64(st.BytesSent)
		}
	}
	return in, out
}
