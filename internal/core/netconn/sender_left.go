package netconn

import (
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// leaveToLot keeps the rest of f in the queue. The lot reports when the socket takes more, and the clock checks the
// peer meanwhile, so no goroutine waits. Where there is no lot, or the transport is not a socket, a goroutine waits. If the
// peer is too slow, leaveToLot fails with the error with which every write fails.
//
//go:noinline
func (o *sender) leaveToLot(f *output.Flight) error {
	s, now := o.ensureStall(), o.eng.clock.Now()
	s.Continue(now)
	at, err := o.judgePeer(s, now)
	if err != nil {
		_, err = o.finished(f, err)
		return err
	}
	s.Leave(now)
	o.waitUntil(&o.writeBy, at)
	o.out.Leave(f) // from here on another goroutine may be the flusher and own s
	if o.end.Load() != endNone || !o.askRoom(s) {
		go s.flushLeft()
	} else {
		o.checkLeft()
	}
	return nil
}

// askRoom asks the lot for a writable event on behalf of a flusher that left unsent output. It runs once per message on
// a slow peer, so it does not allocate.
func (o *sender) askRoom(s *stall) bool { return o.seat.has(lot.Room) || o.askFor(lot.Room, &s.raw) }

// checkLeft makes sure that a flight that has just been left is checked in time: the clock, or a goroutine that has set a
// deadline, may have come before there was one to resume.
func (o *sender) checkLeft() {
	if at := o.writeDeadline(); at != 0 {
		o.checkWriterBy(at)
	}
	if by := o.writeBy.Load(); by != forever {
		o.arm(by)
	}
}

// flushLeft sends the flight kept by leaveToLot and waits until it is sent.
func (o *sender) flushLeft() { o.flush(o.takeLeft(), flushWait) }

// takeLeft makes the caller the flusher of the flight kept by leaveToLot. It returns nil if there is none any more.
func (o *sender) takeLeft() *output.Flight {
	f := o.out.Resume()
	if f != nil {
		o.writeBy.Store(0)
		o.stall.Resume(o.eng.clock.Now())
	}
	return f
}

// resume continues with the flight kept by leaveToLot. It reports whether there was one.
func (o *sender) resume() bool {
	f := o.takeLeft()
	o.flush(f, flushTry)
	return f != nil
}

// checkWriter is called by the clock, and by goroutines that set a deadline, when it is time to check a wait for the
// peer. It resumes a flight that was left to the lot, or else wakes the waiting goroutine, which then checks. It
// returns when to call it again, 0 for never: a writer on a brittle transport cannot be woken between two of its
// writes.
func (o *sender) checkWriter(now clock.Moment) (again clock.Moment) {
	if o.resume() {
		return 0
	}
	o.tr.WakeWriter()
	if o.tr.Brittle() {
		return now + int64(clock.Tick)
	}
	return 0
}

// checkWriterBy makes sure that a wait for the peer in progress is checked no later than at.
func (o *sender) checkWriterBy(at clock.Moment) {
	for by := o.writeBy.Load(); by > at; by = o.writeBy.Load() {
		if !o.writeBy.CompareAndSwap(by, at) {
			continue
		}
		if now := o.eng.clock.Now(); clock.Passed(at, now) {
			at = o.checkWriter(now)
		}
		o.arm(at)
		return
	}
}

// Event implements lot.Tenant. It runs on the lot's goroutine.
func (o *sender) Event(what lot.Event) {
	o.mu.Lock()
	what, hit, left := o.seat.takeLocked(what)
	var s *stall
	if hit&lot.Room != 0 {
		s = o.stall // nil if the connection has parked since
	}
	if in := o.eng.lot.Load(); left != 0 && in != nil {
		var cache *syscall.RawConn
		if s != nil {
			cache = &s.raw
		}
		in.Ask(&o.seat.place, o.parent, o.rawLocked(cache), left)
	}
	o.mu.Unlock()
	if s != nil {
		go s.resume()
	}
	if hit&^lot.Room != 0 {
		o.parent.lotEvent(what)
	}
}

// trimLocked releases what a parked connection does not need, when there is no flusher: the lot may still be asked for room that
// is no longer needed.
func (o *sender) trimLocked() {
	o.stall = nil
	o.seat.forgetLocked(lot.Room)
}
