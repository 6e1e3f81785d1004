package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// A goroutine may flush if the output queue has given it a flight. That is a writer, a caller of Flush, a connection's
// goroutine when Data has returned, the clock for callers of FlushSoon, the lot when there is room again, and the
// reader when TLS has produced output of its own or the connection ends. All of them call flush.

// flushMode says how a flusher sends.
type flushMode uint8

const (
	flushWait        flushMode = iota // wait until the flight is sent
	flushWaitLatched                  // as flushWait, on the connection's goroutine; uses the descriptor if inside the latch
	flushTry                          // send what the socket takes now; the lot reports when it takes more
	flushTryLatched                   // as flushTry, on the connection's goroutine; uses the descriptor if inside the latch
)

// dataFlushMode returns how the output of a run of Data is sent. A peer that does not take its output is not read from
// until it does, so that the queue does not grow. The output of a Source waits in the Source, so its peer is read from:
// the peer may be waiting for that itself, or say which output it no longer wants. So it is where nothing is kept between a
// write and the peer's read: the peer may be writing, too.
func (o *Output) dataFlushMode(f *output.Flight) flushMode {
	if f != nil && (f.FromSource || !o.link.tr.Buffers()) {
		return flushTryLatched
	}
	return flushWaitLatched
}

// nextMode returns how to send f, which was appended while output was sent in mode m.
func (o *Output) nextMode(m flushMode, f *output.Flight) flushMode {
	switch m {
	case flushWait:
		return flushTry
	case flushWaitLatched, flushTryLatched: // there may or may not be a source now
		return o.dataFlushMode(f)
	}
	return m
}

// flush sends f, which may be nil, and then the output that has been appended meanwhile. It does not wait to send the
// latter, because a writer waits only for its own output. It returns the error with which every write fails, nil while
// writing works.
func (o *Output) flush(f *output.Flight, how flushMode) (err error) {
	for f != nil {
		fd := transport.NoDescriptor
		if how == flushWaitLatched || how == flushTryLatched {
			fd = int(o.link.latchFD)
		}
		if err = o.mayWrite(f); err == nil {
			var n int
			if n, err = o.link.tr.TrySend(&f.Batch, fd, f.Last); n > 0 {
				o.sent(n, fd)
			}
		}
		if err == nil && (!f.Empty() || o.link.tr.Unsent()) {
			switch {
			case o.link.endRequest.Load() != endNone:
				err = o.sendNow(f)
			case how == flushTry || how == flushTryLatched:
				return o.leaveToLot(f)
			default:
				err = o.sendWaiting(&f.Batch, f.Last)
			}
		}
		if f, err = o.landed(f, err); f != nil {
			how = o.nextMode(how, f)
		}
	}
	return err
}

// sendFirst is flush for a unit that was appended just now, without waiting. It reports whether some of it has been
// sent or may still be sent.
func (o *Output) sendFirst(f *output.Flight) (left bool, err error) {
	if err = o.mayWrite(f); err == nil {
		var n int
		if n, err = o.link.tr.TrySend(&f.Batch, transport.NoDescriptor, f.Last); n > 0 {
			o.sent(n, transport.NoDescriptor)
			left = true
		}
	}
	if err == nil && (!f.Empty() || o.link.tr.Unsent()) {
		err = o.leaveToLot(f)
		return left || err == nil, err
	}
	if f, err = o.landed(f, err); f != nil {
		err = o.flush(f, flushTry)
	}
	return left, err
}

// flushOr is flush for the results of a queue method that returns an error if it returns no flight.
func (o *Output) flushOr(f *output.Flight, err error, how flushMode) error {
	if f == nil {
		return err
	}
	return o.flush(f, how)
}

// landed reports the result of sending f to the queue, and returns the next flight.
func (o *Output) landed(f *output.Flight, failure error) (*output.Flight, error) {
	next, broke, err := o.out.Landed(f, failure)
	if broke {
		o.link.extra.Load().callOnGone() // a peer that nothing can be sent to counts as gone
		o.link.parent.writeFailed()
	}
	return next, err
}

// mayWrite returns an error if the write deadline has passed: output that comes later is not sent, even if that need
// not wait. An empty flight, which only ends the stream, is exempt.
func (o *Output) mayWrite(f *output.Flight) error {
	if !o.WriteExpired() || f.Empty() {
		return nil
	}
	return o.slow()
}

// sent counts n bytes that have been sent.
//
//go:noinline
func (o *Output) sent(n, fd int) {
	o.link.eng.stats.out(n)
	if o.stall != nil {
		o.stall.accepted.Add(int64(n))
		o.stall.progress = 0
	}
	if fd != transport.NoDescriptor {
		o.link.sentIn = true
	}
}

//go:noinline
func (o *Output) sendWaiting(b *transport.Batch, last bool) error {
	return o.waitPeer(func() (int, error) {
		n, err := o.link.tr.Send(b, last)
		if n > 0 {
			o.sent(n, transport.NoDescriptor)
		}
		return n, err
	})
}

// sendNow sends the rest of f for Quit: the socket has refused to take more, unless that was a wake.
//
//go:noinline
func (o *Output) sendNow(f *output.Flight) error {
	if !o.link.tr.Socket() {
		return o.sendWaiting(&f.Batch, f.Last)
	}
	if o.link.tr.WriterWoken() {
		n, err := o.link.tr.TrySend(&f.Batch, transport.NoDescriptor, f.Last)
		if n > 0 {
			o.sent(n, transport.NoDescriptor)
		}
		if err != nil || f.Empty() && !o.link.tr.Unsent() {
			return err
		}
	}
	return ErrAbort
}

// leaveToLot keeps the rest of f in the queue. The lot reports when the socket takes more, and the clock checks the
// peer meanwhile, so no goroutine waits. Where there is no lot, or the transport is not a socket, a goroutine waits. If the
// peer is too slow, leaveToLot fails with the error with which every write fails.
//
//go:noinline
func (o *Output) leaveToLot(f *output.Flight) error {
	s, now := o.ensureStall(), o.link.eng.clock.Now()
	if s.progress == 0 {
		s.beginWait(now)
	}
	at, err := o.judgePeer(s, now)
	if err != nil {
		_, err = o.landed(f, err)
		return err
	}
	s.leftAt = now
	o.link.waitUntil(&o.writeBy, at)
	o.out.Leave(f) // from here on another goroutine may be the flusher and own s
	if o.link.endRequest.Load() != endNone || !o.link.askRoom(s) {
		go s.flushLeft()
	} else {
		o.checkLeft()
	}
	return nil
}

// checkLeft makes sure that a flight that has just been left is checked in time: the clock, or a goroutine that has set a
// deadline, may have come before there was one to resume.
func (o *Output) checkLeft() {
	if at := o.writeDeadline(); at != 0 {
		o.checkWriterBy(at)
	}
	if by := o.writeBy.Load(); by != forever {
		o.link.eng.clock.Arm(o.link, by)
	}
}

// flushLeft sends the flight kept by leaveToLot and waits until it is sent.
func (o *Output) flushLeft() { o.flush(o.takeLeft(), flushWait) }

// takeLeft makes the caller the flusher of the flight kept by leaveToLot. It returns nil if there is none any more.
func (o *Output) takeLeft() *output.Flight {
	f := o.out.Resume()
	if f != nil {
		o.writeBy.Store(0)
		o.stall.endLotWait(o.link.eng.clock.Now())
	}
	return f
}

// resume continues with the flight kept by leaveToLot. It reports whether there was one.
func (o *Output) resume() bool {
	f := o.takeLeft()
	o.flush(f, flushTry)
	return f != nil
}

// checkWriter is called by the clock, and by goroutines that set a deadline, when it is time to check a wait for the
// peer. It resumes a flight that was left to the lot, or else wakes the waiting goroutine, which then checks. It
// returns when to call it again, 0 for never: a writer on a brittle transport cannot be woken between two of its
// writes.
func (o *Output) checkWriter(now clock.Moment) (again clock.Moment) {
	if o.resume() {
		return 0
	}
	o.link.tr.WakeWriter()
	if o.link.tr.Brittle() {
		return now + int64(clock.Tick)
	}
	return 0
}

// end sends the queued output and makes later writes fail. The last flight may announce the end of the stream to the
// transport, so the caller must end the stream right afterwards.
func (o *Output) end(how flushMode) error {
	for {
		f, err := o.out.End()
		if f == nil {
			return err
		}
		o.flush(f, how)
	}
}

// ensureStall returns o.stall and creates it if necessary. Only the flusher may call it.
func (o *Output) ensureStall() *stall {
	if o.stall == nil {
		s := &stall{resume: func() { o.resume() }, flushLeft: o.flushLeft}
		o.link.mu.Lock() // Event reads o.stall
		o.stall = s
		o.link.mu.Unlock()
	}
	return o.stall
}

// seal sends the queued output and the output of TLS itself, and then makes every write fail.
func (o *Output) seal() error {
	o.flush(o.out.TakeNone(), flushWait)
	for {
		f, err := o.out.Seal(ErrHijacked)
		if f == nil {
			return err
		}
		o.flush(f, flushWait)
	}
}

// push sends the pending output without waiting.
func (o *Output) push() error {
	f, err := o.out.Take()
	return o.flushOr(f, err, flushTry)
}
