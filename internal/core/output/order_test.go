package output_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// A unit that is not held back leaves before Write and Post return: Write waits for the peer, Post does not.
func TestUnitsLeaveAtOnce(t *testing.T) {
	c := newTalk(t)
	c.want("held", c.write("one"), false)
	c.wantSent("a write", `send "one"`)
	c.post(output.Whole, "two")
	c.wantSent("a post", `try "two"`)
	c.share(output.Whole, "three").Release()
	c.wantSent("a shared post", `try "three"`)
	if _, err := c.sink.Write(context.Background(), output.Whole, []byte("fo"), []byte("ur")); err != nil {
		t.Fatal(err)
	}
	c.wantSent("a write of two halves", `send "four"`)
	c.wantPending("afterwards", 0)
	c.wantGot("in all", "onetwothreefour")
}

// Output that is held back leaves in one batch, in order, however it was appended.
func TestHeldLeavesInOneBatch(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.want("write reports that it is held", c.write("a"), true)
	ok, held, err := c.sink.Post(output.Whole, []byte("b"))
	c.want("post", ok && held && err == nil, true)
	c.share(output.Whole, "c").Release()
	c.post(output.Part, "d")
	c.share(output.Whole, "e").Release()
	c.share(output.Whole, "f").Release()
	c.write("g")
	c.wantPending("while it is held", 7)
	c.wantSent("while it is held")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", `send "abcdefg"`)
	c.wantPending("afterwards", 0)
}

// PostShared reports, too, that a unit is held back.
func TestSharedHeld(t *testing.T) {
	c := newTalk(t)
	p := shared("a")
	defer p.Release()
	if ok, held, err := c.sink.PostShared(output.Whole, p); !ok || held || err != nil {
		t.Errorf("not held: %v %v %v", ok, held, err)
	}
	c.q.Hold()
	if ok, held, err := c.sink.PostShared(output.Whole, p); !ok || !held || err != nil {
		t.Errorf("held: %v %v %v", ok, held, err)
	}
	c.want("sole while it is held", p.Sole(), false)
	c.q.Drop()
	c.want("sole after Drop", p.Sole(), true)
}

// Output is held back until the last of several holds is released.
func TestHoldsNest(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.q.Hold()
	c.write("a")
	c.wantErr("the first ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("one hold is left")
	c.write("b")
	c.q.Hold()
	c.q.Release()
	c.wantSent("one hold is left still")
	c.wantErr("the last ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("none is left", `send "ab"`)
}

// Release sends nothing by itself; the output held back leaves with the next unit.
func TestReleaseLeavesItToTheNext(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("a")
	c.q.Release()
	c.wantSent("Release")
	c.write("b")
	c.wantSent("the next write", `send "ab"`)
	c.q.Hold()
	c.write("c")
	c.q.Release()
	c.post(output.Whole, "d")
	c.wantSent("the next post", `try "cd"`)
	c.q.Hold()
	c.write("e")
	c.q.Release()
	p := c.share(output.Whole, "f")
	c.wantSent("the next shared post", `try "ef"`)
	c.want("sole when it has been sent", p.Sole(), true)
	p.Release()
}

// The release of a hold sends nothing if nothing was appended.
func TestReleaseFlushOfNothing(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("nothing was appended")
}

// Take, EndTick and Drain also send output that is held back.
func TestWhoSendsWhatIsHeld(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("a")
	c.wantErr("Take", c.sink.Take(), nil)
	c.wantSent("Take", `try "a"`)
	c.wantErr("Take", c.sink.Take(), nil)
	c.wantSent("Take of nothing")
	c.write("b")
	c.sink.EndTick()
	c.wantSent("EndTick", `try "b"`)
	c.sink.EndTick()
	c.wantSent("EndTick of nothing")
	c.write("c")
	c.wantErr("Flush", c.sink.Flush(), nil)
	c.wantSent("Flush", `send "c"`)
	c.wantErr("Flush", c.sink.Flush(), nil)
	c.wantSent("Flush of nothing")
}

// TakeNone makes the caller the flusher even if no output is pending: the transport may have output of its own, as TLS
// does.
func TestTakeNone(t *testing.T) {
	c := newTalk(t)
	c.sink.TakeNone()
	c.wantSent("nothing is pending", `try ""`)
	c.q.Hold()
	c.write("a")
	c.sink.TakeNone()
	c.wantSent("something is", `try "a"`)
}

// NeedsTick returns true once, and again after EndTick: it is called for every unit, but the clock needs only one request.
func TestLate(t *testing.T) {
	c := newTalk(t)
	c.want("nothing is pending", c.q.NeedsTick(), false)
	c.q.Hold()
	c.write("a")
	c.want("something is", c.q.NeedsTick(), true)
	c.want("asked again", c.q.NeedsTick(), false)
	c.write("b")
	c.want("another unit", c.q.NeedsTick(), false)
	c.sink.EndTick()
	c.wantSent("the tick", `try "ab"`)
	c.want("nothing is pending again", c.q.NeedsTick(), false)
	c.write("c")
	c.want("after EndTick", c.q.NeedsTick(), true)
}

// All pending output leaves together with a write.
func TestWritesTakeWithThem(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.post(output.Whole, "b")
		c.want("a small write does not wait for another's", c.write("c"), false)
		c.post(output.Whole, "d")
		c.wantSent("while another flushes")
		free()
		c.wantSent("the other goes on", `try "bcd"`)
	})
}

// A Hold that comes during a flush holds back what the flusher would send next, until it is released.
func TestHoldStopsTheFlusher(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.q.Hold()
		c.want("held", c.write("b"), true)
		free()
		c.wantSent("it is held")
		c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
		c.wantSent("it is not", `send "b"`)
	})
}

// ReleaseFlush during another goroutine's flush leaves the output to that flusher.
func TestReleaseFlushWhileAnotherFlushes(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.q.Hold()
		c.write("b")
		c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
		c.sink.TakeNone()
		c.wantErr("Take", c.sink.Take(), nil)
		c.sink.EndTick()
		c.wantSent("while another flushes")
		free()
		c.wantSent("it goes on", `try "b"`)
	})
}

// Inside the latch everything is sent there, also what was appended meanwhile.
func TestLatchedStaysLatched(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.q.Hold()
		c.write("a")
		gate := make(chan struct{})
		c.sink.sendGate = gate
		w := c.start(func() error { return c.sink.ReleaseFlush() })
		c.wantSent("ReleaseFlush", `send "a"`)
		c.write("b")
		w.waits("the peer takes nothing")
		close(gate)
		w.returned("the peer took it", nil)
		c.wantSent("what was appended meanwhile", `send "b"`)
	})
}

// A writer waits only for its own bytes: it sends what was appended meanwhile without waiting.
func TestWriterDoesNotWaitForOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		w := c.startWrite(context.Background(), output.Whole, "a", "")
		c.post(output.Whole, "bcd")
		c.sink.takes = []int{1}
		close(gate)
		w.returned("its own has left", nil)
		c.wantSent("the others'", `send "a"`, `try "bcd" took 1`, "leave")
		c.sink.resume()
		c.wantGot("in all", "abcd")
	})
}

// Flush waits for the batch of another flusher, and for the output pending behind it.
func TestFlushWaitsForAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		c.q.Hold()
		c.write("b")
		w := c.start(func() error { return c.sink.Flush() })
		w.waits("another's batch is on its way")
		free()
		w.returned("it has left", nil)
		c.wantSent("what was held", `send "b"`)
	})
}

// Bytes that are copied belong to the caller again when the call returns.
func TestSmallUnitsAreCopied(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	a, b, p := []byte("aa"), []byte("bb"), []byte("pp")
	if _, err := c.sink.Write(context.Background(), output.Whole, a, b); err != nil {
		t.Fatal(err)
	}
	c.sink.Post(output.Whole, p)
	copy(a, "xx")
	copy(b, "xx")
	copy(p, "xx")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantGot("in all", "aabbpp")
}

// The buffer grows with the appended output, and nothing is lost when it does.
func TestPendingGrows(t *testing.T) {
	c := newTalk(t)
	c.q.Bound = 1 << 20
	c.q.Hold()
	var want strings.Builder
	for i := range 300 {
		unit := strings.Repeat(string(rune('a'+i%26)), 1+i*7%500)
		want.WriteString(unit)
		c.write(unit)
	}
	c.wantPending("held", want.Len())
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantGot("in all", want.String())
}

// An empty unit counts as a unit: it fails when others do, and sends nothing of its own.
func TestEmptyUnit(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("")
	c.wantPending("an empty write", 0)
	if n := len(c.q.Leases()); n != 0 {
		t.Errorf("an empty write holds %d leases", n)
	}
	c.write("a")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", `send "a"`)
}

// A tick that comes during a flush is not lost: the output for it leaves after the flight, although it is held back.
func TestLateWhileFlushing(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.q.Hold()
	c.write("c")
	c.want("NeedsTick", c.q.NeedsTick(), true)
	c.sink.EndTick()
	c.sink.resume()
	c.wantGot("a tick has passed and there is room", "abc")
}

// A Take that comes during a flush is not lost either. Take is for a goroutine that is about to wait for the peer.
func TestTakeWhileFlushing(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.q.Hold()
	c.write("c")
	c.wantErr("Take", c.sink.Take(), nil)
	c.sink.resume()
	c.wantGot("there is room", "abc")
}

// An empty shared unit is released as others are, although there is nothing to send.
func TestEmptySharedUnit(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	p := c.share(output.Whole, "")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.sink.TrimIdle()
	c.q.Drop()
	c.want("released", p.Sole(), true)
}
