package netconn

import (
	"context"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// Output is the sending half of a Link. All methods may be called concurrently.
type Output struct{ sender }

// SetWriteBuffer sets the limit of this connection's output queue, in bytes; see Config.WriteBuffer. It must be called
// before the first write.
func (o *Output) SetWriteBuffer(n int) { o.out.Bound = int32(n) }

// Write appends p to the output as one unit. While Data runs or the output is held, the unit is sent later; otherwise
// Write returns when it has been sent. Write waits if the queue is full or p is large. p is not referenced after Write
// returns. After a write has failed, every write fails with the same error.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.WriteUnit(context.Background(), Whole, nil, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteTwo appends a and b as one unit, as Write does. It copies a, and sends a large b from the caller's memory.
func (o *Output) WriteTwo(a, b []byte) error { return o.WriteUnit(context.Background(), Whole, a, b) }

// WriteUnit is WriteTwo for any kind of unit. It returns when ctx is done, with ctx's error. If it was waiting for other
// output, nothing has been written. A unit that has begun to be sent is sent completely: the rest is copied and goes on.
func (o *Output) WriteUnit(ctx context.Context, u Unit, a, b []byte) error {
	if ctx.Done() != nil {
		return o.writeUntil(ctx, u, a, b)
	}
	for {
		f, held, err := o.out.Write(ctx, u, a, b)
		if f == nil {
			return o.posted(held, err)
		}
		if ferr := o.flush(f, flushWait); err != output.ErrAgain {
			return ferr
		}
	}
}

// writeUntil is WriteUnit for a ctx that may be done. What the peer does not take at once is left to the lot, and waited for.
func (o *Output) writeUntil(ctx context.Context, u Unit, a, b []byte) error {
	for {
		f, held, err := o.out.Write(ctx, u, a, b)
		if f == nil {
			return o.posted(held, err)
		}
		f.Borrow()
		if ferr := o.flush(f, flushTry); ferr != nil {
			return ferr
		}
		if werr := o.out.AwaitFlight(ctx); err != output.ErrAgain || werr != nil {
			return werr
		}
	}
}

// PostContext is Post that waits, until ctx is done, for room and for the unit's turn. It never waits until p is sent.
func (o *Output) PostContext(ctx context.Context, u Unit, p []byte) error {
	for {
		f, held, err := o.out.Write(ctx, u, p, nil)
		if f == nil {
			return o.posted(held, err)
		}
		if ferr := o.flush(f, flushTry); err != output.ErrAgain {
			return ferr
		}
	}
}

// posted handles a unit for which the queue returned no flight: one that is held back, or that was refused with err.
func (o *Output) posted(held bool, err error) error {
	if held && o.eng.flushLate {
		o.FlushSoon()
	}
	return err
}

// Post appends p as a unit if there is room for it. It never waits: output that the socket does not take at once is
// sent later. ok is false if there is no room or it is not the unit's turn, see OnRoom. A Final unit is always
// accepted. p is copied.
func (o *Output) Post(u Unit, p []byte) (ok bool, err error) {
	for {
		f, ok, held, err := o.out.Post(u, p)
		if f == nil {
			return ok, o.posted(held, err)
		}
		if ferr := o.flush(f, flushTry); err != output.ErrAgain {
			return ok && ferr == nil, ferr
		}
	}
}

// PostTwo is Post for a and b as one unit. A large b is sent from the caller's memory; the part that the socket does
// not take at once is copied. touched reports whether some of the unit may have been sent. If it is false, nothing was
// sent and nothing will be.
func (o *Output) PostTwo(u Unit, a, b []byte) (ok, touched bool, err error) {
	for {
		f, ok, held, err := o.out.PostTwo(u, a, b)
		if f == nil {
			return ok, ok, o.posted(held, err)
		}
		if err != output.ErrAgain {
			touched, err = o.sendFirst(f)
			return err == nil, touched, err
		}
		o.flush(f, flushTry)
	}
}

// PostShared is Post for a unit that many connections send. p is retained, not copied, until it has been sent.
func (o *Output) PostShared(u Unit, p *bufpool.Shared) (ok bool, err error) {
	for {
		f, ok, held, err := o.out.PostShared(u, p)
		if f == nil {
			return ok, o.posted(held, err)
		}
		if ferr := o.flush(f, flushTry); err != output.ErrAgain {
			return ok && ferr == nil, ferr
		}
	}
}

// OnRoom calls f once, on a goroutine of its own, when it is worth trying to Post again: there is room, or writing has
// failed.
func (o *Output) OnRoom(f func()) { o.out.OnRoom(f) }

// Draw makes s the source of the output: whenever there is room, s is asked for output. Units that are written are sent
// before the output of s. An output has one source at a time. Draw does not wait.
func (o *Output) Draw(s Source) { o.flush(o.out.Draw(s), flushTry) }

// DrawLent is Draw for a Lender.
func (o *Output) DrawLent(l Lender) { o.flush(o.out.DrawLent(l), flushTry) }

// Flush sends the pending output and returns when it has been sent.
func (o *Output) Flush() error {
	for {
		f, err := o.out.Drain()
		if f == nil {
			return err
		}
		o.flush(f, flushWait)
	}
}

// Push sends as much of the pending output, held back or not, as the socket takes now. The rest is sent later.
func (o *Output) Push() error { return o.push() }

// FlushSoon makes sure that the output held back now is sent within a tick.
//
//go:noinline
func (o *Output) FlushSoon() {
	if o.out.NeedsTick() {
		o.eng.clock.AtTick(o)
	}
}

// Tick implements clock.Ticked. Most output has been sent by then; asking a source for the rest and sending it takes time,
// and may block where there is no socket.
func (o *Output) Tick() {
	if o.out.EndTick() {
		go o.push()
	}
}

// Hold holds back output that is appended, as happens while Data runs, until Release has been called as often as Hold.
// See Config.FlushLate.
func (o *Output) Hold() { o.out.Hold() }

// Release ends a Hold. After the last Release, the output held back is sent with the next unit, or when the reader
// waits.
func (o *Output) Release() { o.out.Release() }

// BeginParts waits, until ctx is done, until no message is being written in parts and a part of size bytes would not
// have to wait. Then the caller's message begins: until EndParts, only the caller may write parts, and every Whole
// waits. BeginParts fails if writing has failed.
func (o *Output) BeginParts(ctx context.Context, size int) error { return o.out.BeginParts(ctx, size) }

// TryParts is BeginParts that does not wait. It reports success even if writing has failed.
func (o *Output) TryParts() bool { return o.out.TryParts() }

// EndParts ends the message that BeginParts or TryParts began.
func (o *Output) EndParts() { o.out.EndParts() }

// Unsent reports whether accepted output has not been sent yet and may still be sent.
func (o *Output) Unsent() bool { return o.out.Unsent() }

// Settle waits until nothing is being sent, and reports whether all accepted output has been sent. It is for the end of a
// connection whose peer is known to be gone, where sending ends at once.
func (o *Output) Settle() bool {
	o.resume()
	return o.out.Settle()
}

// WriteError returns the error with which every write fails, nil while writing works.
func (o *Output) WriteError() error { return o.out.Err() }

// EndedBy returns the reason for the end of a connection on which reading has failed with err. The system reports a
// reset only once: if the sender got that report, reading ends as if the peer had closed in order.
func (o *Output) EndedBy(err error) error {
	if !isEnd(err) {
		return err
	}
	sending := o.out.Unsent() // before Err: the sender may be about to set it
	if werr := o.out.Err(); werr != nil {
		return werr
	}
	if sending && o.tr.Refuses() {
		return syscall.ECONNRESET
	}
	return err
}
