package output_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// End sends the pending output, held back or not, and says that the end of the stream follows. Later units are refused.
func TestEnd(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("bye")
	c.wantErr("End", c.sink.End(), nil)
	c.wantSent("End", `send last "bye"`)
	c.refusedWith("after End", errClosed)
	c.wantErr("Err", c.q.Err(), nil)
	c.want("TrimIdle", c.sink.TrimIdle(), false)
	c.wantErr("End", c.sink.End(), nil)
	c.wantSent("the second End")
}

// With no pending output, End still returns a flight before the end of the stream, for the closing alert of TLS.
func TestEndOfNothing(t *testing.T) {
	c := newTalk(t)
	c.wantErr("End", c.sink.End(), nil)
	c.wantSent("End", `send last ""`)
}

// A Final unit that was accepted leaves before the end.
func TestEndAfterFinal(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.post(output.Final, "bye")
	c.wantErr("End", c.sink.End(), nil)
	c.wantSent("End", `send last "bye"`)
}

// End waits for a flight that was left to the sink and for a flusher. Once it is called everything is refused.
func TestEndWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, "c")
		w := c.start(c.sink.End)
		w.waits("a flight is left")
		c.refusedWith("while it ends", errClosed)
		c.sink.takes = []int{1, 0}
		c.sink.resume()
		w.waits("another one is left")
		c.sink.resume()
		w.returned("all has left", nil)
		c.wantSent("in turn", `try "b"`, `try "c" took 0`, "leave", `try "c"`, `send last ""`)
	})
	inBubble(t, func(t *testing.T, c *talk) {
		free := c.busy("a")
		w := c.start(c.sink.End)
		w.waits("another flushes")
		free()
		w.returned("it no longer does", nil)
		c.wantSent("End", `send last ""`)
	})
}

// A write that waits for room or a turn when the queue ends is refused.
func TestEndRefusesWhoWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.want("TryParts", c.q.TryParts(), true)
		whole := c.startWrite(t.Context(), output.Whole, "no", "")
		parts := c.start(func() error { return c.q.BeginParts(t.Context(), 1) })
		c.park("a", "b")
		c.post(output.Part, x(testBound))
		part := c.startWrite(t.Context(), output.Part, "no", "")
		for _, w := range []*call{whole, parts, part} {
			w.waits("turn or room")
		}
		end := c.start(c.sink.End)
		for _, w := range []*call{whole, parts, part} {
			w.returned("the queue ends", errClosed)
		}
		end.waits("a flight is left")
		c.sink.resume()
		end.returned("all has left", nil)
		c.wantGot("in all", "ab"+x(testBound))
	})
}

// While the last flight is being sent nothing is appended to it, and a second End waits for it and sends nothing.
func TestTwoEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		first := c.start(c.sink.End)
		first.waits("the peer takes nothing")
		second := c.start(c.sink.End)
		second.waits("the first has not ended")
		c.refusedWith("while it ends", errClosed)
		close(gate)
		first.returned("the last has left", nil)
		second.returned("the last has left", nil)
		c.wantSent("once", `send last ""`)
	})
}

// Nothing follows the last flight, whichever method is called.
func TestNothingFollowsTheLast(t *testing.T) {
	c := newTalk(t)
	c.write("a")
	c.wantErr("End", c.sink.End(), nil)
	c.seen = len(c.sink.log)
	c.wantErr("Flush", c.sink.Flush(), nil)
	c.wantErr("Take", c.sink.Take(), nil)
	c.sink.EndTick()
	c.sink.resume()
	c.q.Hold()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("after the last")
}

// A source is asked for everything that it has before the end.
func TestEndAsksTheSource(t *testing.T) {
	c, s := drawn(t, x(testBound), x(testBound), "src")
	c.q.Hold()
	c.write("a")
	c.q.Draw(c.sink.source)
	c.wantErr("End", c.sink.End(), nil)
	c.asked("until it had no more", s, 3)
	if n := strings.Count(strings.Join(c.sink.log, " "), "last"); n != 1 {
		t.Errorf("%d flights were the last: %q", n, c.sink.log)
	}
	if last := c.sink.log[len(c.sink.log)-1]; !strings.HasPrefix(last, "send last") {
		t.Errorf("the last flight was %q", last)
	}
	c.wantGot("in all", "a"+x(2*testBound)+"src")
}

// A Draw while End waits for the flusher does not drop output that was waiting to be drawn.
func TestDrawWhileEndWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		s := &source{units: []string{"src"}, t: t}
		c.sink.from(s)
		gate := make(chan struct{})
		c.sink.sendGate = gate
		w := c.startWrite(context.Background(), output.Whole, "first ", "")
		w.waits("the peer takes nothing")
		c.sink.Draw()
		c.q.Hold() // as before the last message of a protocol
		end := c.start(c.sink.End)
		end.waits("somebody sends")
		c.sink.Draw()
		close(gate)
		w.returned("it has left", nil)
		end.returned("all has left", nil)
		c.wantGot("in all", "first src")
	})
}

// Output that a source gets after the end is not drawn: the end of the stream has followed the last flight.
func TestDrawAfterEnd(t *testing.T) {
	c, s := drawn(t, "no")
	c.wantErr("End", c.sink.End(), nil)
	c.seen = len(c.sink.log)
	c.sink.Draw()
	c.wantSent("Draw after End")
	c.asked("after End", s, 0)
	c.wantErr("End", c.sink.End(), nil)
	c.wantSent("End again")
}

// Output that a source gets while the last flight is being sent is not drawn either.
func TestDrawDuringTheLast(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		s := &source{units: []string{"no"}, t: t}
		c.sink.from(s)
		gate := make(chan struct{})
		c.sink.sendGate = gate
		w := c.start(c.sink.End)
		w.waits("the peer takes nothing")
		c.sink.Draw()
		close(gate)
		w.returned("the last has left", nil)
		c.wantSent("the last is the last", `send last ""`)
	})
}

// After a Final unit a source is not asked any more.
func TestDrawAfterFinal(t *testing.T) {
	c, s := drawn(t, "no")
	c.post(output.Final, "bye")
	c.sink.Draw()
	c.asked("after Final", s, 0)
	c.wantGot("in all", "bye")
}

// Exclude sends the pending output first, and what is appended meanwhile afterwards.
func TestExclude(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.q.Hold()
		c.write("held ")
		var large *call
		err := c.sink.Exclude(func() (err, failure error) {
			c.wantGot("when it is its turn", "held ")
			c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
			c.post(output.Whole, "after ")
			c.write("too")
			c.sink.TakeNone()
			c.wantErr("Take", c.sink.Take(), nil)
			large = c.startWrite(t.Context(), output.Whole, "", x(output.GatherFrom))
			large.waits("somebody excludes others")
			return nil, nil
		})
		c.wantErr("Exclude", err, nil)
		large.returned("nobody does", nil)
		c.wantSent("in turn", `send "held "`, `try "after too"`, "send 16384 bytes")
	})
}

// Exclude waits for a flusher and for a flight that was left to the sink.
func TestExcludeWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.q.Hold()
		c.write("c")
		called := false
		w := c.start(func() error { return c.sink.Exclude(func() (err, failure error) { called = true; return nil, nil }) })
		w.waits("a flight is left")
		c.sink.resume()
		w.returned("all has left", nil)
		c.want("called", called, true)
		c.wantSent("in turn", `try "b"`, `send "c"`)
	})
}

// If the data of Exclude fails before any of it was sent, the queue goes on; otherwise nothing may follow.
func TestExcludeFails(t *testing.T) {
	c := newTalk(t)
	c.wantErr("softly", c.sink.Exclude(func() (err, failure error) {
		c.post(output.Whole, "a")
		return errSink, nil
	}), errSink)
	c.wantSent("it goes on", `try "a"`)
	c.wantErr("Err", c.q.Err(), nil)
	c.wantErr("hard", c.sink.Exclude(func() (err, failure error) {
		c.post(output.Whole, "no")
		return errSink, errSink
	}), errSink)
	c.wantSent("nothing follows", "broke")
	c.wantNothingMore(errSink)
}

// The queue may fail during an Exclude.
func TestFailWhileExcluded(t *testing.T) {
	c := newTalk(t)
	p := shared("no")
	c.wantErr("Exclude", c.sink.Exclude(func() (err, failure error) {
		c.sink.PostShared(output.Whole, p)
		c.q.Drop()
		return errSink, errSink
	}), errSink)
	c.want("released", p.Sole(), true)
	c.wantSent("Fail from outside does not count as a broken flight")
	c.wantNothingMore(errClosed)
}

// After the last unit, nothing can be sent past the queue either.
func TestExcludeAfterEnd(t *testing.T) {
	for name, end := range map[string]func(c *talk){
		"final": func(c *talk) { c.post(output.Final, "bye") },
		"end":   func(c *talk) { c.wantErr("End", c.sink.End(), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t)
			end(c)
			c.wantErr("Exclude", c.sink.Exclude(func() (err, failure error) {
				c.Error("it may send")
				return nil, nil
			}), errClosed)
		})
	}
}

// Seal sends what was accepted and makes every later write fail, with nothing in between.
func TestSeal(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("last words")
	c.wantErr("Seal", c.sink.Seal(errOther), nil)
	c.wantSent("Seal", `send "last words"`)
	c.want("Seal does not count as a failed flight", c.sink.broken == 0, true)
	c.wantNothingMore(errOther)
}

// Seal waits until everything that was accepted has left.
func TestSealWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		w := c.start(func() error { return c.sink.Seal(errOther) })
		w.waits("a flight is left")
		c.post(output.Whole, "c") // it was accepted, so it leaves
		c.post(output.Whole, x(testBound-1))
		waiter := c.startWrite(t.Context(), output.Whole, "d", "")
		waiter.waits("the queue is full")
		c.sink.takes = []int{1, 0}
		c.sink.resume()
		w.waits("another one is left")
		c.sink.resume()
		w.returned("all has left", nil)
		synctest.Wait()
		c.want("the waiter knows", waiter.done.Load(), true)
		c.seen = len(c.sink.log)
		c.wantGot("what was accepted", "abc"+x(testBound-1)+map[bool]string{true: "d"}[waiter.err == nil])
		c.wantNothingMore(errOther)
	})
}

// TrimIdle reports true only for a queue that has nothing to do and no goroutine to wake.
func TestRest(t *testing.T) {
	for name, begin := range map[string]func(c *talk) (end func()){
		"held":    func(c *talk) func() { c.q.Hold(); return c.q.Release },
		"pending": func(c *talk) func() { c.q.Hold(); c.write("a"); c.q.Release(); return func() { c.sink.Take() } },
		"shared": func(c *talk) func() {
			c.q.Hold()
			c.share(output.Whole, "a").Release()
			c.q.Release()
			return func() { c.sink.Take() }
		},
		"left": func(c *talk) func() { c.park("a", "b"); return c.sink.resume },
		"flushing": func(c *talk) func() {
			f := c.q.TakeNone()
			return func() { c.q.Finished(f, nil) }
		},
		"excluding": func(c *talk) func() {
			c.q.Exclude()
			return func() { c.q.Finished(nil, nil) }
		},
		"parts":    func(c *talk) func() { c.q.TryParts(); return c.q.EndParts },
		"has room": func(c *talk) func() { c.q.TryParts(); c.q.OnRoom(func() {}); return c.q.EndParts },
		"source": func(c *talk) func() {
			c.sink.from(&source{units: []string{"a"}})
			c.q.Hold()
			c.q.Draw(c.sink.source)
			c.q.Release()
			return func() { c.sink.Take() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t)
			c.want("before", c.sink.TrimIdle(), true)
			end := begin(c)
			c.want("now", c.sink.TrimIdle(), false)
			end()
			c.want("afterwards", c.sink.TrimIdle(), true)
		})
	}
}

// TrimIdle keeps callbacks of OnRoom that wait for the end of a message in parts.
func TestRestWhileSomebodyWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.q.TryParts()
		w := c.startWrite(t.Context(), output.Whole, "a", "")
		w.waits("a message in parts")
		c.want("TrimIdle", c.sink.TrimIdle(), false)
		c.q.EndParts()
		c.want("TrimIdle while it wakes up", c.sink.TrimIdle() && !w.done.Load(), false)
		w.returned("no message in parts", nil)
		c.want("TrimIdle", c.sink.TrimIdle(), true)
	})
}

// TrimIdle releases what an idle connection does not need, and the queue works as before.
func TestRestSlims(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.want("a new queue is slim", c.q.Slim(), true)
		free := c.busy("a")
		w := c.startWrite(t.Context(), output.Whole, "", x(output.GatherFrom))
		w.waits("another flushes")
		free()
		w.returned("it no longer does", nil)
		c.share(output.Whole, "b").Release()
		c.want("a queue that had waiters and shares is not slim", c.q.Slim(), false)
		c.want("TrimIdle", c.sink.TrimIdle(), true)
		c.want("a queue at rest is slim", c.q.Slim(), true)
		c.wantErr("BeginParts", c.q.BeginParts(t.Context(), 1), nil)
		c.q.EndParts()
		c.post(output.Whole, "c")

		s := &source{}
		c.sink.from(s)
		c.want("TrimIdle", c.sink.TrimIdle(), true)
		s.units = []string{"src"}
		c.sink.Draw()
		c.asked("a source is not forgotten", s, 1)
	})
}

// A queue that has failed or ended does not rest.
func TestRestOfWhatIsOver(t *testing.T) {
	for name, end := range map[string]func(c *talk){
		"failed":  func(c *talk) { c.q.Fail(errOther) },
		"dropped": func(c *talk) { c.q.Drop() },
		"final":   func(c *talk) { c.post(output.Final, "bye") },
		"ended":   func(c *talk) { c.sink.End() },
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t)
			end(c)
			c.want("TrimIdle", c.sink.TrimIdle(), false)
		})
	}
}
