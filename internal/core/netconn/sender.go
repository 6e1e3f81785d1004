package netconn

import (
	"sync/atomic"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// sender sends what the queue gives it. A goroutine may flush if the queue has given it a flight. That is a writer, a caller of
// Flush, a connection's goroutine when Data has returned, the clock for callers of FlushSoon, the lot when there is room again,
// and the reader when TLS has produced output of its own or the connection ends. All of them call flush or sendFirst. Such a
// goroutine is the flusher until the flight is finished or left to the lot.
type sender struct {
	line
	out     output.Queue
	stall   *stall       // created and used by the flusher; nil if it never had to wait
	writeBy atomic.Int64 // when the wait for the peer in progress is checked; 0: no wait, forever: never
}

// stall is what a sender needs to wait for its peer. The flusher owns it.
type stall struct {
	peerrate.Stall
	flushLeft func()          // sender.flushLeft as a value; never changed
	resume    func()          // sender.resume as a value; never changed
	raw       syscall.RawConn // to ask the lot with; guarded by line.mu
}

// flushMode says how a flusher sends.
type flushMode uint8

const (
	flushWait        flushMode = iota // wait until the flight is sent
	flushWaitLatched                  // as flushWait, on the connection's goroutine; uses the descriptor if inside the latch
	flushTry                          // send what the socket takes now; the lot reports when it takes more
	flushTryLatched                   // as flushTry, on the connection's goroutine; uses the descriptor if inside the latch
)

// dataFlushMode returns how the output of a run of Data is sent. A peer that does not take its output is not read from
// until it does, so that the queue does not grow. There are two exceptions. The output of a Source waits in the Source,
// and its peer may be waiting for us to read, or may say which output it no longer wants. And where nothing is buffered
// between a write and the peer's read, the peer may be writing, too.
func (o *sender) dataFlushMode(f *output.Flight) flushMode {
	if f != nil && (f.FromSource || !o.tr.Buffers()) {
		return flushTryLatched
	}
	return flushWaitLatched
}

// nextMode returns how to send f, which was appended while output was sent in mode m.
func (o *sender) nextMode(m flushMode, f *output.Flight) flushMode {
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
func (o *sender) flush(f *output.Flight, how flushMode) (err error) {
	for f != nil {
		fd := transport.NoDescriptor
		if how == flushWaitLatched || how == flushTryLatched {
			fd = int(o.latch.fd)
		}
		if err = o.mayWrite(f); err == nil {
			var n int
			if n, err = o.tr.TrySend(&f.Batch, fd, f.Last); n > 0 {
				o.sent(n, fd)
			}
		}
		if err == nil && (!f.Empty() || o.tr.Unsent()) {
			switch {
			case o.end.Load() != endNone:
				err = o.sendNow(f)
			case how == flushTry || how == flushTryLatched:
				return o.leaveToLot(f)
			default:
				err = o.sendWaiting(&f.Batch, f.Last)
			}
		}
		if f, err = o.finished(f, err); f != nil {
			how = o.nextMode(how, f)
		}
	}
	return err
}

// sendFirst is flush for a unit that was appended just now, without waiting. It reports whether some of it has been
// sent or may still be sent.
func (o *sender) sendFirst(f *output.Flight) (left bool, err error) {
	if err = o.mayWrite(f); err == nil {
		var n int
		if n, err = o.tr.TrySend(&f.Batch, transport.NoDescriptor, f.Last); n > 0 {
			o.sent(n, transport.NoDescriptor)
			left = true
		}
	}
	if err == nil && (!f.Empty() || o.tr.Unsent()) {
		err = o.leaveToLot(f)
		return left || err == nil, err
	}
	if f, err = o.finished(f, err); f != nil {
		err = o.flush(f, flushTry)
	}
	return left, err
}

// flushOr is flush for the results of a queue method that returns an error if it returns no flight.
func (o *sender) flushOr(f *output.Flight, err error, how flushMode) error {
	if f == nil {
		return err
	}
	return o.flush(f, how)
}

// finished reports the result of sending f to the queue, and returns the next flight.
func (o *sender) finished(f *output.Flight, failure error) (*output.Flight, error) {
	next, broke, err := o.out.Finished(f, failure)
	if broke {
		o.goneCalls().Make() // a peer that nothing can be sent to counts as gone
		o.parent.writeFailed()
	}
	return next, err
}

// mayWrite returns an error if the write deadline has passed: output that comes later is not sent, even if that need
// not wait. An empty flight, which only ends the stream, is exempt.
func (o *sender) mayWrite(f *output.Flight) error {
	if !o.WriteExpired() || f.Empty() {
		return nil
	}
	return o.slow()
}

// sent counts n bytes that have been sent.
//
//go:noinline
func (o *sender) sent(n, fd int) {
	o.eng.stats.out(n)
	if o.stall != nil {
		o.stall.Accept(n)
	}
	if fd != transport.NoDescriptor {
		o.latch.sentIn = true
	}
}

// endOutput sends the queued output and makes later writes fail. The last flight may announce the end of the stream to the
// transport, so the caller must end the stream right afterwards.
func (o *sender) endOutput(how flushMode) error {
	for {
		f, err := o.out.End()
		if f == nil {
			return err
		}
		o.flush(f, how)
	}
}

// seal sends the queued output and the output of TLS itself, and then makes every write fail.
func (o *sender) seal() error {
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
func (o *sender) push() error {
	f, err := o.out.Take()
	return o.flushOr(f, err, flushTry)
}
