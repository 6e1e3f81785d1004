package output_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// x returns n bytes.
func x(n int) string { return strings.Repeat("x", n) }

// The queue takes units up to the last byte of its bound, and refuses the next one until there is room.
func TestBoundCountsBytes(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.post(output.Whole, x(testBound-4))
	c.refused("one byte too many", output.Whole, x(5))
	c.share(output.Part, x(4)).Release()
	c.wantPending("to the last byte", testBound)
	for _, u := range []output.Unit{output.Whole, output.Part} {
		c.refused("to a full queue", u, "x")
	}
	p := shared("x")
	defer p.Release()
	if ok, _, err := c.sink.PostShared(output.Whole, p); ok || err != nil {
		t.Errorf("shared post to a full queue: %v %v", ok, err)
	}
	c.want("what was refused is not held", p.Sole(), true)
	c.sink.resume()
	c.wantSent("there is room", `try "b"`, fmt.Sprintf("try %q", x(testBound)))
	c.post(output.Whole, "y")
}

// A Final unit waits neither for room nor for a turn: it is small, and nothing comes after it.
func TestFinalHasRoom(t *testing.T) {
	for _, held := range []bool{false, true} {
		c := newTalk(t)
		if held {
			c.q.Hold()
		} else {
			c.park("a", "b")
		}
		c.post(output.Whole, x(testBound))
		c.want("a turn", c.q.TryParts(), true)
		c.post(output.Final, "f")
		c.wantPending("with the last", testBound+1)
		if ok, _, err := c.sink.Post(output.Part, nil); ok || err != net.ErrClosed {
			t.Errorf("post behind it: %v %v", ok, err)
		}
	}
}

// A unit that is larger than the bound has room in an empty queue: otherwise it could never be sent.
func TestLargerThanTheBound(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.post(output.Whole, x(testBound+1))
	c.refused("behind it", output.Whole, "y")
	c.sink.resume()
	c.wantGot("in all", "ab"+x(testBound+1))
	c.q.Hold()
	c.post(output.Whole, "y")
	c.post(output.Whole, x(testBound+1))
	c.wantPending("the output without room beside it has left", testBound+1)
}

// Output that is held back does not keep a queue full for ever: it leaves when there is no room for the next unit.
func TestHeldAndFull(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.post(output.Whole, x(testBound))
	c.post(output.Whole, "y")
	c.wantSent("post", fmt.Sprintf("try %q", x(testBound)))
	c.wantPending("post", 1)
	c.write(x(testBound - 1))
	c.wantSent("there was room")
	c.want("held", c.write("z"), true)
	c.wantSent("write", fmt.Sprintf("send %q", "y"+x(testBound-1)))
	c.wantPending("write", 1)
	c.share(output.Whole, x(testBound)).Release()
	c.wantSent("shared post", `try "z"`)
	c.wantPending("shared post", testBound)

	c.sink.takes = []int{1}
	c.post(output.Whole, "y")
	c.wantSent("a post that is not taken at once", fmt.Sprintf("try %q took 1", x(testBound)), "leave")
	c.wantPending("it has room all the same", 1)
	c.sink.resume()
	c.wantPending("it is held", 1)
}

// A post that sends output held back returns the error if that fails.
func TestHeldAndFullAndBroken(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.post(output.Whole, x(testBound))
	c.sink.err = errSink
	c.refusedWith("after what was held could not be sent", errSink)
	c.want("broke once", c.sink.broken == 1, true)
}

// A write to a full queue waits for room, also a part of a message.
func TestWriteWaitsForRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, x(testBound))
		w := c.startWrite(t.Context(), output.Whole, "y", "")
		p := c.startWrite(t.Context(), output.Part, "", "z")
		w.waits("the queue is full")
		p.waits("the queue is full for parts, too")
		c.wantPending("nothing was appended", testBound)
		free()
		w.returned("there is room", nil)
		p.returned("there is room", nil)
		c.wantErr("Flush", c.sink.Flush(), nil)
		if got := string(c.sink.got); got != "a"+x(testBound)+"yz" && got != "a"+x(testBound)+"zy" {
			t.Errorf("the peer got %q", got)
		}
	})
}

// There is room as soon as a flusher takes the pending output, not only when that has left.
func TestRoomComesWithTheBatch(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound))
		w := c.startWrite(t.Context(), output.Whole, "y", "")
		w.waits("the queue is full")
		c.sink.takes = []int{1, 0}
		c.sink.resume()
		w.returned("the next batch has been taken from the queue", nil)
		c.want("it is parked", c.q.Left(), true)
		c.wantPending("it is appended", 1)
		c.sink.resume()
		c.wantGot("in all", "ab"+x(testBound)+"y")
	})
}

// A writer whose context ends while it waits has written nothing; other writers go on waiting.
func TestContextEndsWaitingWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, x(testBound))
		ctx, cancel := context.WithCancel(t.Context())
		late, cancelLate := context.WithTimeout(t.Context(), time.Second)
		defer cancelLate()
		w := c.startWrite(ctx, output.Whole, "no", "")
		l := c.startWrite(late, output.Whole, "no", "")
		other := c.startWrite(t.Context(), output.Whole, "yes", "")
		w.waits("the queue is full")
		cancel()
		w.returned("its context has ended", context.Canceled)
		l.waits("its context has not")
		other.waits("its context has not")
		time.Sleep(2 * time.Second)
		l.returned("its context has ended", context.DeadlineExceeded)
		other.waits("its context has not")
		ended := c.startWrite(ctx, output.Whole, "no", "")
		ended.returned("its context had ended before", context.Canceled)
		free()
		other.returned("there is room", nil)
		c.wantErr("Flush", c.sink.Flush(), nil)
		c.wantGot("in all", "a"+x(testBound)+"yes")
	})
}

// A write that need not wait does not look at its context.
func TestEndedContextThatNeedNotWait(t *testing.T) {
	c := newTalk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.sink.Write(ctx, output.Whole, []byte("a"), nil); err != nil {
		t.Error(err)
	}
	c.wantErr("BeginParts", c.q.BeginParts(ctx, 1), nil)
	c.wantGot("in all", "a")
}

// A large b is sent from the caller's memory, behind the pending output and behind a, which is copied.
func TestLargeIsGathered(t *testing.T) {
	c := newTalk(t)
	a, b := []byte("head"), []byte(strings.Repeat("b", output.GatherFrom))
	write := func() {
		t.Helper()
		held, err := c.sink.Write(t.Context(), output.Whole, a, b)
		c.want("held", held, false)
		c.wantErr("write", err, nil)
	}
	given := func(p []byte) bool {
		for _, s := range c.sink.slices {
			if unsafe.SliceData(s) == unsafe.SliceData(p) {
				return true
			}
		}
		return false
	}
	write()
	c.wantSent("alone", "send 16388 bytes")
	want := "head" + string(b)
	c.wantGot("alone", want)
	c.want("b was copied", !given(b), false)
	c.want("a was not copied", given(a), false)

	c.q.Hold()
	c.write("pending ")
	write()
	c.wantSent("a hold does not keep the large write back", "send 16396 bytes")
	want += "pending head" + string(b)
	c.wantGot("behind what was pending", want)

	c.share(output.Whole, "shared ").Release()
	write()
	want += "shared head" + string(b)
	c.wantGot("behind what is shared", want)
	c.wantPending("nothing of it stays in the queue", 0)

	// With one byte less, b is copied and held as other output.
	c.sink.slices, b = nil, b[:len(b)-1]
	if held, err := c.sink.Write(t.Context(), output.Whole, a, b); !held || err != nil {
		t.Errorf("a size just below large: held %v, error %v", held, err)
	}
	c.wantErr("Flush", c.sink.Flush(), nil)
	c.want("a size just below large was sent without a copy", given(b), false)
	c.wantGot("a size just below large", want+"head"+string(b))
}

// While another goroutine flushes, a large write waits although there is room, and nothing of it is in the queue: its own
// bytes must follow its head at once. When it has returned, nothing refers to them.
func TestLargeWaitsForTheFlusher(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		b := []byte(strings.Repeat("b", output.GatherFrom))
		want := "ahead" + string(b)
		ctx, cancel := context.WithCancel(t.Context())
		gone := c.startWrite(ctx, output.Whole, "no", string(b))
		w := c.start(func() error {
			_, err := c.sink.Write(t.Context(), output.Whole, []byte("head"), b)
			clear(b)
			return err
		})
		w.waits("another flushes")
		c.wantPending("nothing was appended", 0)
		cancel()
		gone.returned("its context has ended", context.Canceled)
		free()
		w.returned("it has left", nil)
		c.wantGot("in all", want)
	})
}

// A large write returns only when the peer has taken it, and what was appended meanwhile goes behind it.
func TestLargeReturnsWhenItHasLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		b := strings.Repeat("b", output.GatherFrom)
		w := c.startWrite(t.Context(), output.Whole, "", b)
		c.post(output.Whole, "after")
		w.waits("the peer takes nothing")
		close(gate)
		w.returned("the peer took it", nil)
		c.wantGot("in all", b+"after")
	})
}

// A large write returns the error of the sink.
func TestLargeFails(t *testing.T) {
	c := newTalk(t)
	c.sink.err = errSink
	held, err := c.sink.Write(t.Context(), output.Whole, nil, make([]byte, output.GatherFrom))
	c.want("held", held, false)
	c.wantErr("write", err, errSink)
}

// A large Final is the last unit, too.
func TestLargeFinal(t *testing.T) {
	c := newTalk(t)
	b := strings.Repeat("b", output.GatherFrom)
	if _, err := c.sink.Write(t.Context(), output.Final, nil, []byte(b)); err != nil {
		t.Error(err)
	}
	c.refusedWith("after a large Final", errClosed)
	c.wantGot("in all", b)
}

// All goroutines that wait for room get it, one batch after another.
func TestManyWaitForRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("")
		var calls []*call
		for range 20 {
			calls = append(calls, c.startWrite(t.Context(), output.Whole, x(testBound), ""))
		}
		free()
		synctest.Wait()
		for i, w := range calls {
			w.returned(fmt.Sprint("writer ", i), nil)
		}
		c.wantErr("Flush", c.sink.Flush(), nil)
		c.wantGot("in all", x(20*testBound))
	})
}

// A write whose context never ends can wait, too.
func TestWaitWithoutContext(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, x(testBound))
		w := c.startWrite(context.Background(), output.Whole, "y", "")
		b := c.start(func() error { return c.q.BeginParts(context.Background(), 1) })
		w.waits("the queue is full")
		b.waits("the queue is full")
		free()
		b.returned("there is room", nil)
		c.q.EndParts()
		w.returned("no message in parts", nil)
		c.wantErr("Flush", c.sink.Flush(), nil)
		c.wantGot("in all", "a"+x(testBound)+"y")
	})
}

// watchedContext counts the registered callbacks for its end.
type watchedContext struct {
	context.Context
	done    chan struct{}
	waiting atomic.Int32
}

func (w *watchedContext) Done() <-chan struct{} { return w.done }

func (w *watchedContext) AfterFunc(func()) (stop func() bool) {
	w.waiting.Add(1)
	return func() bool { w.waiting.Add(-1); return true }
}

// No write stays registered with its context, which may outlive very many writes.
func TestContextIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, x(testBound))
		ctx := &watchedContext{Context: t.Context(), done: make(chan struct{})}
		w := c.startWrite(ctx, output.Whole, "y", "")
		w.waits("the queue is full")
		if ctx.waiting.Load() != 1 {
			t.Error("the context's end would not be noticed")
		}
		free()
		w.returned("there is room", nil)
		if n := ctx.waiting.Load(); n != 0 {
			t.Errorf("%d wait for the context's end", n)
		}
	})
}

// endingContext ends after its error was read once.
type endingContext struct {
	context.Context
	done  chan struct{}
	asked bool
}

func (e *endingContext) Done() <-chan struct{} { return e.done }

func (e *endingContext) Err() error {
	if e.asked {
		return context.Canceled
	}
	e.asked = true
	return nil
}

// A context that ends between a writer's check of it and the wait ends the wait.
func TestContextEndsBeforeTheWait(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound))
		ended := make(chan struct{})
		close(ended)
		for range 3000 {
			_, err := c.sink.Write(&endingContext{Context: t.Context(), done: ended}, output.Whole, []byte("no"), nil)
			c.wantErr("Write", err, context.Canceled)
		}
	})
}
