package netconn

import (
	"context"
	"sync/atomic"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/output"
)

// Unit says what a unit of the output is; see Whole, Part and Final.
type Unit = output.Unit

// The kinds of units.
const (
	// Whole is a message in one unit. It waits while another one is being written in parts.
	Whole = output.Whole
	// Part is a part of the message that BeginParts began, or what may stand between such parts.
	Part = output.Part
	// Final is what may stand between parts, and the last unit of all: later ones fail with net.ErrClosed.
	Final = output.Final
)

// Source decides what goes next, when somebody Draws; see there.
type Source = output.Source

// Lender is a Source that lends what it has; see there.
type Lender = output.Lender

// Output is the sending half of a Link: what is to be sent, and how its peer takes it. All methods may be called
// concurrently.
type Output struct {
	link    *Link
	out     output.Queue
	stall   *stall       // of who waits for the peer to take something; made by the flusher
	writeBy atomic.Int64 // when the wait for the peer to take something is looked at: 0 none, forever
}

// SetWriteBuffer sets the bound of this connection's output, in bytes; see Config.WriteBuffer. It is called before the
// first write.
func (o *Output) SetWriteBuffer(n int) { o.out.Bound = int32(n) }

// Write appends p to the output as one unit. While Data runs, or somebody holds the output, it leaves later; else Write
// returns when it has left. When the queue is full or p is large Write waits. p is not referenced afterwards. After a
// failed write every write fails with the same error.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.WriteUnit(context.Background(), Whole, nil, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteTwo appends a and b as one unit, as Write does. a is always copied; a large b is sent from where it is.
func (o *Output) WriteTwo(a, b []byte) error { return o.WriteUnit(context.Background(), Whole, a, b) }

// WriteUnit is WriteTwo for any unit. While it waits for others it gives up when ctx ends, with ctx's error, and nothing
// has been written. What has begun to leave leaves whole.
func (o *Output) WriteUnit(ctx context.Context, u Unit, a, b []byte) error {
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

// PostContext is Post that waits for room and its turn, until ctx ends. It never waits for p to leave.
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

// posted is called for a unit that was appended and is not sent, or was not.
func (o *Output) posted(held bool, err error) error {
	if held && o.link.eng.cfg.FlushLate {
		o.FlushSoon()
	}
	return err
}

// Post appends p as a unit if there is room for it, and never waits: what is not taken at once is sent when it is. ok is
// false when there is no room or it is not p's turn, see OnRoom; a Final is always taken. p is copied.
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

// PostTwo is Post of a and b as one unit. A large b is sent from where it is; what of it is not taken at once is copied.
// touched reports whether something may have left: when that is false nothing has, and nothing will.
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

// PostShared is Post of a unit that many connections send: p is not copied, and held until it has left.
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

// OnRoom has f called once, on a goroutine of its own, when it is worth trying to Post again: there is room, or writing has
// failed.
func (o *Output) OnRoom(f func()) { o.out.OnRoom(f) }

// Draw says that s has output: whenever there is room s is asked for it, and decides what goes next. What is written goes
// before it. An output has one source. Draw does not wait.
func (o *Output) Draw(s Source) { o.flush(o.out.Draw(s), flushTry) }

// Flush sends what is pending and returns when it has left.
func (o *Output) Flush() error {
	for {
		f, err := o.out.Drain()
		if f == nil {
			return err
		}
		o.flush(f, flushWait)
	}
}

// Push sends what is pending, held back or not, as far as it is taken now; the rest leaves when it is.
func (o *Output) Push() error { return o.push() }

// FlushSoon says that what is held back now is to leave within a tick.
//
//go:noinline
func (o *Output) FlushSoon() {
	if o.out.NeedsTick() {
		o.link.eng.clock.AtTick(o.flushLate)
	}
}

func (o *Output) flushLate() { o.flush(o.out.TakeAtTick(), flushTry) }

// Hold keeps back what is appended, as it is kept while Data runs, until as many calls of Release; see Config.FlushLate.
func (o *Output) Hold() { o.out.Hold() }

// Release ends a Hold: after the last, what was kept back leaves with the next unit, or when the reader waits.
func (o *Output) Release() { o.out.Release() }

// BeginParts waits until no message is being written in parts and a part of size bytes would not have to wait, or until
// ctx ends. Then the caller's message begins: until EndParts only it writes parts, and every Whole waits. It fails with
// what writing fails with.
func (o *Output) BeginParts(ctx context.Context, size int) error { return o.out.BeginParts(ctx, size) }

// TryParts is BeginParts that does not wait, and works even if nothing can be written any more.
func (o *Output) TryParts() bool { return o.out.TryParts() }

// EndParts ends a message that was written in parts.
func (o *Output) EndParts() { o.out.EndParts() }

// Unsent reports whether something that was accepted has not left, and still may.
func (o *Output) Unsent() bool { return o.out.Unsent() }

// WriteError returns what every write fails with, nil while writing works.
func (o *Output) WriteError() error { return o.out.Err() }

// EndedBy returns what has ended a connection whose reading has ended with err. The system tells of a reset once: if that
// was who sends, reading ends as if in order.
func (o *Output) EndedBy(err error) error {
	if !isEnd(err) {
		return err
	}
	sending := o.out.Unsent() // before Err: who sends may be about to say so
	if werr := o.out.Err(); werr != nil {
		return werr
	}
	if sending && o.link.tr.Refuses() {
		return syscall.ECONNRESET
	}
	return err
}
