package output_test

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// source gives its units, one after another.
type source struct {
	units  []string
	asked  int
	most   int
	inside bool
	gate   chan struct{}    // AppendOutput returns when it is closed
	during func(dst []byte) // is called within AppendOutput
	t      testing.TB       // may be nil
}

func (s *source) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	if s.inside && s.t != nil {
		s.t.Error("the source is asked twice at once")
	}
	s.inside = true
	defer func() { s.inside = false }()
	s.asked++
	s.most = most
	if s.during != nil {
		s.during(dst)
	}
	if s.gate != nil {
		<-s.gate
	}
	for len(s.units) > 0 && len(dst) < most {
		dst = append(dst, s.units[0]...)
		s.units = s.units[1:]
	}
	return dst, len(s.units) > 0
}

// drawn returns a talk whose queue has a source with units.
func drawn(t *testing.T, units ...string) (*talk, *source) {
	c := newTalk(t)
	s := &source{units: units, t: t}
	c.sink.from(s)
	return c, s
}

// asked checks how often the source was asked in all.
func (c *talk) asked(why string, s *source, want int) {
	c.Helper()
	if s.asked != want {
		c.Errorf("%s: the source was asked %d times, want %d", why, s.asked, want)
	}
}

// A source is asked once after each Draw, behind what was written, and for at most the bound.
func TestSourceIsAskedAfterDraw(t *testing.T) {
	c, s := drawn(t, "a", "b")
	c.write("w")
	c.asked("before Draw", s, 0)
	c.sink.Draw()
	c.asked("after Draw", s, 1)
	c.wantSent("Draw does not wait for the peer", `send "w"`, `try "ab"`)
	if s.most != testBound {
		t.Errorf("asked for %d bytes, want the bound", s.most)
	}
	c.post(output.Whole, "x")
	c.asked("it had no more", s, 1)
	c.sink.Draw()
	c.asked("after another Draw", s, 2)
}

// A source is asked again as long as it says that it has more, for one bound's worth at a time.
func TestSourceIsAskedAgain(t *testing.T) {
	c, s := drawn(t, x(40), x(40), x(40))
	c.sink.Draw()
	c.asked("until it has no more", s, 2)
	c.wantSent("in two batches", "try "+brief(x(80)), "try "+brief(x(40)))
}

// A source that never ends is bounded by the peer: it is not asked while a batch is left.
func TestSourceWaitsForRoom(t *testing.T) {
	c, s := drawn(t, x(testBound), x(testBound), x(testBound))
	c.sink.takes = []int{1, 0}
	c.sink.Draw()
	c.asked("the peer is slow", s, 1)
	c.sink.Draw()
	c.sink.TakeNone()
	c.post(output.Whole, "w")
	c.asked("the peer is still slow", s, 1)
	c.sink.resume()
	c.asked("a false alarm", s, 1)
	c.want("TrimIdle", c.sink.TrimIdle(), false)
	c.sink.resume()
	c.asked("there is room", s, 3)
	c.wantGot("what was written goes before the next of the source", x(testBound)+"w"+x(2*testBound))
}

// Pending output goes first, and the source is asked for that much less.
func TestSourceGoesBehindWhatIsPending(t *testing.T) {
	c, s := drawn(t, "1", "2", "3")
	s.during = func(dst []byte) {
		if len(dst) > 0 && !strings.HasSuffix(string(dst), "pending") {
			t.Errorf("the source is to append to %q", dst)
		}
	}
	c.q.Hold()
	c.sink.Draw()
	c.asked("it is held", s, 0)
	c.write("pending")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", `send "pending123"`)

	s.units = []string{"4"}
	c.q.Hold()
	c.sink.Draw()
	c.write("before ")
	c.share(output.Whole, "shared ").Release()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("behind a shared unit", `send "before shared 4"`)
}

// A full batch is sent before the source is asked.
func TestSourceIsNotAskedForAFullBatch(t *testing.T) {
	c, s := drawn(t, "src")
	c.q.Hold()
	c.post(output.Whole, x(testBound))
	c.sink.Draw()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", "send "+brief(x(testBound)), `send "src"`)
	c.asked("for the second batch", s, 1)

	// With a byte less, there is room.
	s.units = []string{"src"}
	c.q.Hold()
	c.post(output.Whole, x(testBound-1))
	c.sink.Draw()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", "send "+brief(x(testBound-1)+"src"))
}

// During a Hold the source is not asked, whatever else is sent; Release leaves it to the next unit.
func TestSourceWhileHeld(t *testing.T) {
	c, s := drawn(t, "src")
	c.q.Hold()
	c.sink.Draw()
	c.asked("it is held", s, 0)
	c.want("TrimIdle", c.sink.TrimIdle(), false)
	c.q.Release()
	c.asked("Release sends nothing", s, 0)
	c.want("TrimIdle: the source has something", c.sink.TrimIdle(), false)
	c.write("w")
	c.wantSent("the next write", `send "wsrc"`)
}

// Take, EndTick, Flush and ReleaseFlush also send output that only the source has.
func TestWhoAsksTheSource(t *testing.T) {
	c, s := drawn(t)
	for _, way := range []struct {
		name, sent string
		f          func()
	}{
		{"Take", `try "src"`, func() { c.wantErr("Take", c.sink.Take(), nil) }},
		{"EndTick", `try "src"`, func() { c.sink.EndTick() }},
		{"Flush", `send "src"`, func() { c.wantErr("Flush", c.sink.Flush(), nil) }},
	} {
		s.units = []string{"src"}
		c.q.Hold()
		c.sink.Draw()
		way.f()
		c.wantSent(way.name, way.sent)
		c.q.Release()
	}
	s.units = []string{"src"}
	c.q.Hold()
	c.sink.Draw()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", `send "src"`)
	c.asked("once each", s, 4)
}

// A Hold that comes while a source is drawn from ends the drawing.
func TestHoldStopsTheSource(t *testing.T) {
	c, s := drawn(t, x(testBound), x(testBound))
	s.during = func([]byte) { c.q.Hold(); s.during = nil }
	c.sink.Draw()
	c.asked("it is held", s, 1)
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.asked("it is not", s, 2)
}

// A source may use the queue while it is asked: what is appended then goes behind, and a Draw then is not lost.
func TestSourceUsesTheQueue(t *testing.T) {
	c, s := drawn(t, "a")
	s.during = func([]byte) {
		s.during = nil
		c.post(output.Whole, "w")
		c.write("v")
		s.units = append(s.units, "b")
	}
	c.sink.Draw()
	c.wantSent("Draw", `try "ab"`, `try "wv"`)
	s.during = func([]byte) {
		s.during = nil
		c.sink.Draw()
	}
	c.sink.Draw()
	c.asked("again, though it had nothing", s, 3)
}

// One goroutine at a time asks the source, and what another one writes or draws meanwhile is not lost.
func TestSourceIsAskedOneAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		s := &source{units: []string{"a"}, gate: make(chan struct{}), t: t}
		c.sink.from(s)
		w := c.start(func() error { c.sink.Draw(); return nil })
		w.waits("the source is slow")
		c.sink.Draw()
		c.post(output.Whole, "w")
		c.sink.TakeNone()
		c.asked("one at a time", s, 1)
		close(s.gate)
		w.returned("it has given", nil)
		c.asked("for the second Draw", s, 2)
		c.wantSent("in all", `try "a"`, `try "w"`)
	})
}

// A source may give more than it was asked for, more than the buffer holds, or nothing.
func TestSourceGivesMuch(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 5000)
	c, _ := drawn(t, big)
	c.sink.Draw()
	c.wantGot("in all", big)
	c, s := drawn(t)
	c.sink.Draw()
	c.asked("it has nothing", s, 1)
	c.wantGot("nothing", "")
	c.want("TrimIdle", c.sink.TrimIdle(), true)
}

// The buffer with a source's output is released when it has been sent.
func TestSourceLease(t *testing.T) {
	c, s := drawn(t, "given")
	c.sink.Draw()
	for _, b := range c.sink.slices {
		wantPoisoned(t, "what the source gave", b)
	}
	_ = s
}

// A source may make the queue fail while it is asked.
func TestFailWithinTheSource(t *testing.T) {
	c, s := drawn(t, x(testBound), x(testBound))
	s.during = func([]byte) { c.q.Fail(errOther) }
	c.sink.Draw()
	c.asked("once", s, 1)
	c.wantNothingMore(errOther)
	c.asked("and not again", s, 1)
}

// If Drop comes while the source is asked, the flusher releases what it got.
func TestDropWithinTheSource(t *testing.T) {
	c, s := drawn(t, "a", "b")
	p := shared("shared")
	s.during = func([]byte) { c.q.Drop() }
	c.q.Hold()
	c.sink.PostShared(output.Whole, p)
	c.sink.Draw()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), errClosed)
	c.want("released", p.Sole(), true)
	c.wantNothingMore(errClosed)
}

// A large write stays one unit: the source's output goes before its head or after its last byte.
func TestSourceDoesNotSplitALargeWrite(t *testing.T) {
	c, _ := drawn(t, "[src]")
	c.q.Hold()
	c.sink.Draw()
	b := strings.Repeat("b", output.GatherFrom)
	if _, err := c.sink.Write(t.Context(), output.Whole, []byte("head"), []byte(b)); err != nil {
		t.Fatal(err)
	}
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	if got := string(c.sink.got); !strings.Contains(got, "head"+b) || !strings.Contains(got, "[src]") {
		t.Errorf("the peer got %d bytes that begin %.20q: the source's unit stands within another", len(got), got)
	}
}

// A source's output is held back as well, and leaves with the requested tick.
func TestLateAsksTheSource(t *testing.T) {
	c, _ := drawn(t, "src")
	c.q.Hold()
	c.sink.Draw()
	c.want("NeedsTick", c.q.NeedsTick(), true)
	c.want("EndTick", c.q.EndTick(), true) // on the clock's goroutine, which asks no source
	c.wantSent("EndTick")
	c.sink.Take()
	c.wantGot("a tick later", "src")
}

// After a Final unit nothing of the source is sent, also if the source is just being asked: it may have decided that it
// has more before the last unit was appended.
func TestFinalWithinTheSource(t *testing.T) {
	c, s := drawn(t, x(testBound), "more")
	s.during = func([]byte) {
		s.during = nil
		c.post(output.Final, "last")
	}
	c.sink.Draw()
	c.wantGot("the Final unit is the last", x(testBound)+"last")
	c.asked("once", s, 1)
}

// The flights of a queue with a source are marked FromSource until the end: while they wait, the peer is read from.
func TestFinalKeepsTheSource(t *testing.T) {
	c, _ := drawn(t, "a")
	c.sink.Draw()
	c.q.Hold()
	c.post(output.Final, "last")
	f, err := c.q.Take()
	if f == nil || err != nil {
		t.Fatal(f, err)
	}
	if !f.FromSource {
		t.Error("the queue has forgotten its source")
	}
	c.q.Finished(f, nil)
}
