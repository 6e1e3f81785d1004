package netconn

import (
	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/output"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// Who may flush: whoever the output has given a flight. That is a writer, whoever calls Flush or ends a Data, the clock
// for those who asked with FlushSoon, the lot when there is room again, and the reader when TLS has said something or the
// connection ends. All of them come through flush.

// manner is how a flusher sends.
type flushMode uint8

const (
	flushWait        flushMode = iota // until the flight has left
	flushWaitLatched                  // as waiting, on the connection's goroutine, inside the latch if that is where it is
	flushTry                          // what is taken now; the lot tells when more is
	flushTryLatched                   // as trying, on the connection's goroutine, inside the latch if that is where it is
)

// ofData is how what a run of Data has appended is sent. Who does not take it is not read from until it does, lest the
// output grow. What a source gives waits with the source, and its peer is read from: it may itself be waiting for us to
// read, and say what it will not have.
func dataFlushMode(f *output.Flight) flushMode {
	if f != nil && f.FromSource {
		return flushTryLatched
	}
	return flushWaitLatched
}

// next is how f is sent, which was appended while something was sent so.
func (m flushMode) next(f *output.Flight) flushMode {
	switch m {
	case flushWait:
		return flushTry
	case flushWaitLatched, flushTryLatched: // a source may have begun, or ended, meanwhile
		return dataFlushMode(f)
	}
	return m
}

// flush sends f and then what has been appended meanwhile; that it does without waiting: a writer waits for its own. f
// may be nil. It returns what every write fails with, nil while writing works.
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
				o.leaveToLot(f)
				return nil
			default:
				err = o.sendWaiting(&f.Batch, f.Last)
			}
		}
		f, err = o.landed(f, err)
		how = how.next(f)
	}
	return err
}

// sendFirst is flush of what was appended just now, without waiting. It reports whether something has left, or may still.
func (o *Output) sendFirst(f *output.Flight) (left bool, err error) {
	if err = o.mayWrite(f); err == nil {
		var n int
		if n, err = o.link.tr.TrySend(&f.Batch, transport.NoDescriptor, f.Last); n > 0 {
			o.sent(n, transport.NoDescriptor)
			left = true
		}
	}
	if err == nil && (!f.Empty() || o.link.tr.Unsent()) {
		o.leaveToLot(f)
		return true, nil
	}
	f, err = o.landed(f, err)
	if ferr := o.flush(f, flushTry); ferr != nil {
		err = ferr
	}
	return left, err
}

// flushOr is flush where the output has perhaps given an error instead of a flight.
func (o *Output) flushOr(f *output.Flight, err error, how flushMode) error {
	if f == nil {
		return err
	}
	return o.flush(f, how)
}

// landed tells the output what has come of f.
func (o *Output) landed(f *output.Flight, failure error) (*output.Flight, error) {
	next, broke, err := o.out.Landed(f, failure)
	if broke {
		o.link.extra.Load().callOnGone() // to whom nothing can be sent is gone
		o.link.parent.writeFailed()
	}
	return next, err
}

// mayWrite fails when the write deadline has passed: what comes after it is not sent, even if it need not wait. The end of
// a connection with nothing to send does not come too late.
func (o *Output) mayWrite(f *output.Flight) error {
	if o.WriteExpired() && !f.Empty() {
		return o.slow()
	}
	return nil
}

// sent counts what has left.
//
//go:noinline
func (o *Output) sent(n, fd int) {
	o.link.eng.stats.out(n)
	if o.stall != nil {
		o.stall.account.accepted += int64(n)
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

// sendNow sends the rest of f, for Quit: a socket has said that it takes no more, unless that was a wake.
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

// leave has the lot tell when the socket takes more of f, and the clock look after the peer meanwhile: no goroutine
// waits. Where there is no lot, or the transport cannot be asked, one does.
//
//go:noinline
func (o *Output) leaveToLot(f *output.Flight) {
	s, now := o.ensureStall(), o.link.eng.clock.Now()
	if s.progress == 0 {
		s.progress = now
	}
	at, err := o.judgePeer(s, now)
	if err != nil {
		o.landed(f, err)
		return
	}
	s.leftAt = now
	o.link.waitUntil(&o.writeBy, at)
	o.out.Leave(f) // from here on another goroutine may be the flusher, and own s
	if o.link.endRequest.Load() != endNone || !o.link.askRoom(s) {
		go s.flushLeft()
	}
}

// flushLeft sends what leave has left, and waits.
func (o *Output) flushLeft() { o.flush(o.takeLeft(), flushWait) }

// takeLeft makes the caller the flusher of what leave has left, if that still waits.
func (o *Output) takeLeft() *output.Flight {
	f := o.out.Resume()
	if f != nil {
		o.writeBy.Store(0)
		o.stall.endLotWait(o.link.eng.clock.Now())
	}
	return f
}

// resume goes on with what leave has left: the socket takes more. It reports whether there was something.
func (o *Output) resume() bool {
	f := o.takeLeft()
	o.flush(f, flushTry)
	return f != nil
}

// lookAtWriter is for the clock, and for who sets a deadline: the moment has come at which a wait for the peer is to be
// looked at. Whoever waits does so; for what was left it is done here. It returns when that is to be tried again, 0 for
// never: who writes to a brittle transport is not woken between two of its writes.
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

// end sends what was accepted and refuses all that comes later. The end of the stream may follow with the last
// bytes, so it has to follow at once.
func (o *Output) end(how flushMode) error {
	for {
		f, err := o.out.End()
		if f == nil {
			return err
		}
		o.flush(f, how)
	}
}

// stalled returns l's stall. It is the flusher's.
func (o *Output) ensureStall() *stall {
	if o.stall == nil {
		s := &stall{resume: func() { o.resume() }, flushLeft: o.flushLeft}
		o.link.mu.Lock() // Event reads it
		o.stall = s
		o.link.mu.Unlock()
	}
	return o.stall
}

// seal sends what was accepted, and what TLS has said of itself, and then has every write fail.
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

// push has what is pending sent, without waiting.
func (o *Output) push() error {
	f, err := o.out.Take()
	return o.flushOr(f, err, flushTry)
}
