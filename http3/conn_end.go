package http3

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// end is called when the connection has ended.
func (k *conn) end() {
	k.mu.Lock()
	first := !k.over
	k.over = true
	leave := k.mayLeave()
	k.mu.Unlock()
	if first {
		k.s.noteEnd()
	}
	if leave {
		k.s.leave(k)
	}
}

// noteEnd notes that a connection has ended. Handlers of its requests may still run.
func (s *Server) noteEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive--
	s.signal()
}

// mayLeave reports, once, that the connection has ended and no handler of its requests runs any more. The caller must hold the lock.
func (k *conn) mayLeave() bool {
	if !k.over || k.left || k.open > k.taken {
		return false
	}
	k.left = true
	return true
}

// leave takes k off.
func (s *Server) leave(k *conn) {
	s.clock.Retire(k)
	t := k.qc.traffic()
	s.received.Add(t.received)
	s.sent.Add(t.sent)
	s.mu.Lock()
	delete(s.conns, k)
	if k.alone {
		s.alone--
	}
	s.signal()
	none := len(s.conns) == 0
	s.mu.Unlock()
	s.carrier.Leave()
	if none {
		s.clock.StopIfIdle()
	}
}

// leaveAlone has Shutdown not wait for k. The caller must hold k's lock.
func (s *Server) leaveAlone(k *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !k.alone {
		k.alone = true
		s.alone++
		s.signal()
	}
}

// signal tells those who wait in await. The caller must hold s.mu.
func (s *Server) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// noteIdle notes whether streams are open. It reports whether the connection, which takes no more requests, is to be ended. The
// caller must hold the lock.
func (k *conn) noteIdle() (finish bool) {
	switch {
	case k.open > k.taken:
		return false
	case k.refuses && k.open > 0: // the streams that handlers have taken over go on
		k.s.leaveAlone(k)
	case k.refuses:
		finish = !k.finishes
		k.finishes = true
		return finish
	case k.open == 0:
		k.idleSince = k.s.clock.Now()
		k.armIdle()
	}
	return false
}

// armIdle has Expired called when the connection has been idle for too long.
func (k *conn) armIdle() {
	if d := k.s.settings.IdleTimeout; d > 0 && k.idleSince > 0 {
		k.s.clock.Arm(k, clock.After(k.idleSince, d))
	}
}

// drain lets the connection take no more requests, and ends it when those that run have been answered. The first GOAWAY announces
// that; requests that the client has sent before it knew are still answered (RFC 9114 §5.2).
func (k *conn) drain() {
	k.mu.Lock()
	again := k.draining
	k.draining = true
	k.mu.Unlock()
	if again {
		return
	}
	k.sendGoAway(h3frame.MaxVarint &^ 3)
	if k.sessions != nil {
		k.sessions.goingAway()
	}
	if k.pause(2 * k.qc.traffic().probe) {
		return
	}
	k.mu.Lock()
	k.refuses = true
	at, finish := k.next, k.noteIdle()
	k.mu.Unlock()
	k.sendGoAway(at)
	if finish {
		k.finish()
	}
}

// sendGoAway sends a GOAWAY frame: requests from id on are not answered.
func (k *conn) sendGoAway(id uint64) { k.control.Write(h3frame.AppendGoAway(nil, id)) }

// pause waits for d. It reports whether the connection has ended meanwhile.
func (k *conn) pause(d time.Duration) (ended bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-k.qc.ended():
		return true
	}
}

// maxFinish is how long finish waits for a client that acknowledges nothing.
const maxFinish = 10 * time.Second

// finish ends a connection whose answers have all been written, when they have arrived. What is not acknowledged is sent again
// within the time of a probe (RFC 9002 §6.2). So if nothing is sent for twice as long, everything was acknowledged.
func (k *conn) finish() {
	for end := time.Now().Add(maxFinish); time.Now().Before(end); {
		before := k.qc.traffic()
		if k.pause(2*before.probe) || k.qc.traffic().packets == before.packets {
			break
		}
	}
	k.qc.close(h3frame.NoError, "")
}
