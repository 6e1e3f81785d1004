package output_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

var errClosed = net.ErrClosed

// While a message is written in parts, only parts, and units that may stand between them, are appended.
func TestWholeWaitsForParts(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.wantErr("BeginParts", c.q.BeginParts(t.Context(), 1), nil)
		w := c.startWrite(t.Context(), output.Whole, "[whole]", "")
		large := c.startWrite(t.Context(), output.Whole, "", x(output.GatherFrom))
		c.refused("of a whole unit", output.Whole, "no")
		p := shared("no")
		if ok, held, err := c.sink.PostShared(output.Whole, p); ok || held || err != nil {
			t.Errorf("shared post of a whole unit: %v %v %v", ok, held, err)
		}
		c.want("what was refused is not held", p.Sole(), true)
		p.Release()
		c.post(output.Part, "part ")
		c.startWrite(t.Context(), output.Part, "control ", "").returned("write of a part", nil)
		c.share(output.Part, "shared ").Release()
		w.waits("the message has not ended")
		large.waits("the message has not ended")
		c.wantGot("so far", "part control shared ")
		c.post(output.Part, "end ")
		c.q.EndParts()
		w.returned("the message has ended", nil)
		large.returned("the message has ended", nil)
		c.wantErr("Flush", c.sink.Flush(), nil)
		if n := len(c.sink.got); n != len("part control shared end [whole]")+output.GatherFrom {
			t.Errorf("the peer got %d bytes", n)
		}
	})
}

// A writer whose context ends while it waits for its turn has written nothing, even if there is no flusher and no Hold.
func TestContextEndsWaitForParts(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.want("TryParts", c.q.TryParts(), true)
		ctx, cancel := context.WithCancel(t.Context())
		w := c.startWrite(ctx, output.Whole, "no", "")
		b := c.start(func() error { return c.q.BeginParts(ctx, 1) })
		other := c.start(func() error { return c.q.BeginParts(t.Context(), 1) })
		w.waits("another's turn")
		b.waits("another's turn")
		cancel()
		w.returned("its context has ended", context.Canceled)
		b.returned("its context has ended", context.Canceled)
		other.waits("its context has not")
		c.q.EndParts()
		other.returned("the turn is free", nil)
		c.wantSent("nothing was written")
		c.want("the turn is taken again", c.q.TryParts(), false)
	})
}

// Turns are taken one at a time.
func TestTurns(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.want("no message in parts", c.q.TryParts(), true)
		c.want("a message in parts", c.q.TryParts(), false)
		var calls []*call
		for range 3 {
			calls = append(calls, c.start(func() error { return c.q.BeginParts(t.Context(), 1) }))
		}
		for range calls {
			before := doneOf(calls)
			c.q.EndParts()
			synctest.Wait()
			if n := doneOf(calls) - before; n != 1 {
				t.Errorf("%d writers got the turn", n)
			}
			c.want("the turn is taken", !c.q.TryParts(), true)
		}
		for i, b := range calls {
			b.returned(fmt.Sprint("BeginParts ", i), nil)
		}
		c.q.EndParts()
		c.want("all have had it", c.q.TryParts(), true)
	})
}

// doneOf returns how many of calls no longer wait.
func doneOf(calls []*call) (n int) {
	for _, w := range calls {
		if w.done.Load() {
			n++
		}
	}
	return n
}

// BeginParts waits until a part of the given size would not have to: a message that has begun makes all others wait.
func TestBeginPartsWaitsForRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, x(testBound-4))
		c.wantErr("there is room", c.q.BeginParts(t.Context(), 4), nil)
		c.q.EndParts()
		b := c.start(func() error { return c.q.BeginParts(t.Context(), 5) })
		b.waits("there is none")
		c.want("no writer has its turn meanwhile", c.q.TryParts(), true)
		c.q.EndParts()
		b.waits("there is still none")
		free()
		b.returned("there is room", nil)
		c.q.EndParts()
	})
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.wantErr("less than large", c.q.BeginParts(t.Context(), output.GatherFrom-1), nil)
		c.q.EndParts()
		b := c.start(func() error { return c.q.BeginParts(t.Context(), output.GatherFrom) })
		b.waits("a large part would have to wait for the flusher")
		free()
		b.returned("nobody flushes", nil)
	})
}

// Output that is held back does not make BeginParts wait: a write would send it first.
func TestBeginPartsWhileHeld(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.post(output.Whole, x(testBound))
	c.wantErr("BeginParts", c.q.BeginParts(t.Context(), output.GatherFrom), nil)
}

// After Final everything is refused, and waiting writes return the error.
func TestFinal(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.want("TryParts", c.q.TryParts(), true)
		w := c.startWrite(t.Context(), output.Whole, "no", "")
		b := c.start(func() error { return c.q.BeginParts(t.Context(), 1) })
		w.waits("another's turn")
		b.waits("another's turn")
		c.post(output.Final, "bye") // it may stand between parts
		w.returned("the last unit has been appended", errClosed)
		b.returned("the last unit has been appended", errClosed)
		c.refusedWith("after Final", errClosed)
		p := shared("no")
		if ok, held, err := c.sink.PostShared(output.Part, p); ok || held || err != errClosed {
			t.Errorf("shared post after Final: %v %v %v", ok, held, err)
		}
		c.want("what was refused is not held", p.Sole(), true)
		c.wantErr("Err: writing still works", c.q.Err(), nil)
		c.wantGot("in all", "bye")
		c.q.EndParts()
		c.want("TryParts works all the same", c.q.TryParts(), true)
	})
}

// A Final that is held back, written or shared is the last unit as well, and what was accepted before leaves with it.
func TestFinalInEveryWay(t *testing.T) {
	for name, final := range map[string]func(c *talk){
		"write": func(c *talk) { c.sink.Write(c.Context(), output.Final, []byte("bye"), nil) },
		"post":  func(c *talk) { c.post(output.Final, "bye") },
		"share": func(c *talk) { c.share(output.Final, "bye").Release() },
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t)
			c.q.Hold()
			c.write("hello ")
			final(c)
			c.refusedWith("while it is held", errClosed)
			c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
			c.wantGot("in all", "hello bye")
			c.refusedWith("afterwards", errClosed)
		})
	}
}

// A large write that waits for the flusher is refused if a Final comes meanwhile.
func TestFinalOvertakesWaitingLarge(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		w := c.startWrite(t.Context(), output.Whole, "", x(output.GatherFrom))
		c.post(output.Final, "bye")
		w.returned("the last unit has been appended", errClosed)
		free()
		c.wantGot("in all", "abye")
	})
}
