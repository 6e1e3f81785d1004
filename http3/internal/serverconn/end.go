package serverconn

import (
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/request"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// step is work to be done when the lock is released.
type step uint8

const (
	none   step = iota
	finish      // end the connection
	leave       // take it off its group
)

// settleLocked is called when a stream has ended, or the connection is in another phase, and returns the work to be done.
func (k *conn) settleLocked() step {
	if k.open.answering() > 0 {
		return none
	}
	switch open := k.open.list.Len(); {
	case k.phase >= over:
		if k.phase.advance(left) {
			return leave
		}
	case k.phase.refuses() && open > 0: // the streams that handlers have taken over go on
		k.g.members.leaveAlone(k)
	case k.phase.refuses():
		if k.phase.advance(finishing) {
			return finish
		}
	case open == 0:
		k.open.idleSince = k.Clock.Now()
		k.armIdleLocked()
	}
	return none
}

// do does a step.
func (k *conn) do(s step) {
	switch s {
	case finish:
		go k.finish()
	case leave:
		k.g.leave(k)
	}
}

// end is called when the connection has ended.
func (k *conn) end() {
	k.mu.Lock()
	first := k.phase.advance(over)
	s := k.settleLocked()
	k.mu.Unlock()
	if first {
		k.g.members.noteEnd()
	}
	k.do(s)
}

// Ended implements request.Owner. A response that the client does not want counts as work without progress.
func (k *conn) Ended(m *request.Stream, how request.End) {
	k.mu.Lock()
	k.open.remove(m, how)
	s := k.settleLocked()
	k.mu.Unlock()
	if how == request.Answered {
		k.Budget.Earn(cost.Message)
	}
	k.do(s)
	if how == request.Unwanted {
		k.Charge(cost.Reset)
	}
	if m.HasSession() {
		k.Sessions.Forget(m.ID())
	}
}

// SetTaken implements request.Owner.
func (k *conn) SetTaken(taken bool) {
	k.mu.Lock()
	s := none
	if taken {
		k.open.taken++
		s = k.settleLocked()
	} else {
		k.open.taken--
	}
	k.mu.Unlock()
	k.do(s)
}

// Complete implements request.Owner.
func (k *conn) Complete(last bool) {
	if most := k.Settings.MaxRequests; most > 0 && !last {
		k.mu.Lock()
		last = k.open.served >= most
		k.mu.Unlock()
	}
	if last {
		go k.drain()
	}
}

// armIdleLocked schedules Expired for the time when the connection has been idle for too long.
func (k *conn) armIdleLocked() {
	if d := k.Settings.IdleTimeout; d > 0 && k.open.idleSince > 0 {
		k.Clock.Arm(k, clock.After(k.open.idleSince, d))
	}
}

// drain refuses further requests, and ends the connection when those in progress have their responses. The first GOAWAY announces
// that; requests that the client has sent before it received GOAWAY still get responses (RFC 9114 §5.2).
func (k *conn) drain() {
	k.mu.Lock()
	first := k.phase.advance(draining)
	k.mu.Unlock()
	if !first {
		return
	}
	k.sendGoAway(h3frame.MaxVarint &^ 3)
	if k.Sessions != nil {
		k.Sessions.GoingAway()
	}
	if k.pause(2 * k.traffic().Probe) {
		return
	}
	k.mu.Lock()
	k.phase.advance(refusing)
	at, s := k.open.next, k.settleLocked()
	k.mu.Unlock()
	k.sendGoAway(at)
	k.do(s)
}

// sendGoAway sends a GOAWAY frame: requests from id on are not handled.
func (k *conn) sendGoAway(id uint64) { k.control.Write(h3frame.AppendGoAway(nil, id)) }

// pause waits for d. It reports whether the connection has ended meanwhile.
func (k *conn) pause(d time.Duration) (ended bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-k.QC.Ended():
		return true
	}
}

// maxFinish is how long finish waits for a client that acknowledges nothing.
const maxFinish = 10 * time.Second

// finish ends a connection whose responses have all been written, when they have arrived. Data that is not acknowledged is sent
// again within a probe timeout (RFC 9002 §6.2). So if nothing is sent for twice as long, everything was acknowledged.
func (k *conn) finish() {
	for end := time.Now().Add(maxFinish); time.Now().Before(end); {
		before := k.traffic()
		if k.pause(2*before.Probe) || k.traffic().Packets == before.Packets {
			break
		}
	}
	k.QC.Close(h3frame.NoError, "")
}

// Deadline implements clock.Holder.
func (k *conn) Deadline() *clock.Deadline { return &k.place }

// Expired implements clock.Holder: it interrupts calls that have waited for too long.
func (k *conn) Expired(now clock.Moment) (next clock.Moment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for m := range k.open.list.All {
		next = clock.Earlier(next, m.Expire(now))
	}
	if k.looks.isDue(now) {
		go k.look()
	}
	next = clock.Earlier(next, k.looks.at)
	if d := k.Settings.IdleTimeout; d > 0 && k.open.idleSince > 0 {
		if at := clock.After(k.open.idleSince, d); at <= now {
			k.open.idleSince = 0
			go k.drain()
		} else {
			next = clock.Earlier(next, at)
		}
	}
	return next
}

// look reads the quiet streams. The control stream of an idle connection becomes one of them.
func (k *conn) look() {
	k.quiet.Look()
	came := k.traffic().Came
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.phase >= over {
		return
	}
	now := k.Clock.Now()
	k.looks.looked(now, came)
	if since := k.open.idleSince; since > 0 && !k.rests && clock.After(since, restAfter) <= now {
		k.rests = true
		k.quiet.Rest()
	}
	k.Clock.Arm(k, k.looks.at)
}
