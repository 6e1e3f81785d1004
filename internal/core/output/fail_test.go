package output_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

var errOther = errors.New("another reason")

// After a failed write every write fails with the same error, and nothing is sent any more.
func TestFailedWriteIsTheLast(t *testing.T) {
	for name, fail := range map[string]func(c *talk) error{
		"write": func(c *talk) error {
			_, err := c.sink.Write(c.Context(), output.Whole, []byte("a"), nil)
			return err
		},
		"post": func(c *talk) error {
			ok, _, err := c.sink.Post(output.Whole, []byte("a"))
			c.want("post", ok, false)
			return err
		},
		"shared post": func(c *talk) error {
			p := shared("a")
			ok, _, err := c.sink.PostShared(output.Whole, p)
			c.want("post", ok, false)
			c.want("it is released", p.Sole(), true)
			return err
		},
		"flush":     func(c *talk) error { c.q.Hold(); c.write("a"); return c.sink.Flush() },
		"release":   func(c *talk) error { c.q.Hold(); c.write("a"); return c.sink.ReleaseFlush() },
		"take none": func(c *talk) error { c.sink.TakeNone(); return c.q.Err() },
		"take":      func(c *talk) error { c.q.Hold(); c.write("a"); return c.sink.Take() },
		"take late": func(c *talk) error { c.q.Hold(); c.write("a"); c.sink.EndTick(); return c.q.Err() },
		"end":       func(c *talk) error { c.q.Hold(); c.write("a"); return c.sink.End() },
		"seal":      func(c *talk) error { c.q.Hold(); c.write("a"); return c.sink.Seal(errOther) },
		"draw": func(c *talk) error {
			c.sink.from(&source{units: []string{"a"}})
			c.sink.Draw()
			return c.q.Err()
		},
		"exclude": func(c *talk) error {
			return c.sink.Exclude(func() (err, failure error) { return errSink, errSink })
		},
		"exclude's flush": func(c *talk) error {
			c.q.Hold()
			c.write("a")
			return c.sink.Exclude(func() (err, failure error) { c.Error("called"); return nil, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t)
			c.wantErr("Err", c.q.Err(), nil)
			c.sink.err = errSink
			c.wantErr(name, fail(c), errSink)
			c.want("broke once", c.sink.broken == 1, true)
			c.wantNothingMore(errSink)
		})
	}
}

// wantNothingMore checks that writing has failed with err and that nothing makes the queue send any more.
func (c *talk) wantNothingMore(err error) {
	c.Helper()
	c.seen = len(c.sink.log)
	c.wantErr("Err", c.q.Err(), err)
	c.refusedWith("afterwards", err)
	large := make([]byte, output.GatherFrom)
	_, got := c.sink.Write(c.Context(), output.Whole, nil, large)
	c.wantErr("a large write", got, err)
	p := shared("no")
	ok, _, got := c.sink.PostShared(output.Whole, p)
	c.want("shared post", ok, false)
	c.wantErr("shared post", got, err)
	c.want("what was refused is not held", p.Sole(), true)
	p.Release()
	c.wantErr("Flush", c.sink.Flush(), err)
	c.sink.TakeNone()
	c.wantErr("Take", c.sink.Take(), err)
	c.sink.EndTick()
	c.q.Hold()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), err)
	c.sink.from(&source{units: []string{"no"}})
	c.sink.Draw()
	c.sink.resume()
	c.wantErr("End", c.sink.End(), err)
	c.wantErr("Seal", c.sink.Seal(errOther), err)
	c.wantErr("Exclude", c.sink.Exclude(func() (err, failure error) {
		c.Error("Exclude after a failure")
		return nil, nil
	}), err)
	c.want("TrimIdle", c.sink.TrimIdle(), false)
	c.want("Unsent", c.q.Unsent(), false)
	c.wantSent("nothing is sent any more")
}

// everyWaiter starts one call of each kind that can wait; the queue must be full, the flusher busy.
func (c *talk) everyWaiter() map[string]*call {
	all := map[string]*call{
		"a small write": c.startWrite(c.Context(), output.Part, "no", ""),
		"a large write": c.startWrite(c.Context(), output.Part, "", x(output.GatherFrom)),
		"BeginParts":    c.start(func() error { return c.q.BeginParts(c.Context(), 1) }),
		"Flush":         c.start(func() error { return c.sink.Flush() }),
		"Exclude": c.start(func() error {
			return c.sink.Exclude(func() (err, failure error) { return errOther, nil })
		}),
		"Seal": c.start(func() error { return c.sink.Seal(errOther) }),
		"End":  c.start(func() error { return c.sink.End() }),
	}
	for _, name := range []string{"Flush", "Exclude", "Seal", "End"} {
		all[name].waits(name)
	}
	return all
}

// A failure wakes all waiting goroutines and releases output that was not sent.
func TestFailureWakesAll(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		w := c.startWrite(t.Context(), output.Whole, "a", "")
		c.post(output.Part, x(testBound))
		small := c.startWrite(t.Context(), output.Part, "no", "")
		large := c.startWrite(t.Context(), output.Part, "", x(output.GatherFrom))
		parts := c.start(func() error { return c.q.BeginParts(t.Context(), 1) })
		flush := c.start(func() error { return c.sink.Flush() })
		small.waits("the queue is full")
		large.waits("another flushes")
		parts.waits("the queue is full")
		flush.waits("another flushes")
		c.sink.mu.Lock()
		c.sink.err = errSink
		c.sink.mu.Unlock()
		close(gate)
		for _, w := range []*call{w, small, large, parts, flush} {
			w.returned("writing has failed", errSink)
		}
		c.wantSent("the failure", `send "a"`, "broke")
		c.wantNothingMore(errSink)
	})
}

// After Fail, a batch that was left to the sink is released at once, because no flusher comes for it, and all waiting
// goroutines are woken.
func TestFailWhileParked(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		p, r := shared("shared"), shared("behind")
		c.sink.takes = []int{3}
		c.sink.PostShared(output.Whole, p)
		c.sink.PostShared(output.Whole, r)
		c.post(output.Whole, x(testBound-6))
		c.want("the queue holds what is left", p.Sole() || r.Sole(), false)
		all := c.everyWaiter()
		c.q.Fail(errOther)
		for name, w := range all {
			if name == "small write" || name == "large write" || name == "BeginParts" {
				continue // End has refused them
			}
			synctest.Wait()
			c.want(name+" returned", w.done.Load(), true)
		}
		c.want("what was left to the sink is released", p.Sole(), true)
		c.want("nothing is left", c.q.Left(), false)
		c.sink.resume()
		c.want("Fail does not count as a failed flight", c.sink.broken == 0, true)
		c.wantNothingMore(errOther)
		c.q.Drop()
		c.want("what was behind it is released by Drop", r.Sole(), true)
	})
}

// If the queue fails while the flusher is in the sink, the flusher keeps what it sends until it comes back, and its own
// error is ignored.
func TestFailWhileSending(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		c.q.Hold()
		p := c.share(output.Whole, "shared")
		w := c.start(func() error { return c.sink.ReleaseFlush() })
		w.waits("the peer takes nothing")
		c.q.Fail(errOther)
		c.q.Fail(errSink)
		c.want("the flusher holds what it sends", p.Sole(), false)
		c.sink.mu.Lock()
		c.sink.err = errSink
		c.sink.mu.Unlock()
		close(gate)
		w.returned("the sink gave up", errOther)
		c.want("released", p.Sole(), true)
		c.wantSent("Fail from outside does not count as a broken flight", `send "shared"`)
		c.wantNothingMore(errOther)
	})
}

// If the queue fails while the flusher tries to send, the rest is not left to the sink, because no flusher would come for
// it.
func TestFailWhileTrying(t *testing.T) {
	for name, resumed := range map[string]bool{"post": false, "resume": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *talk) {
				p := shared("shared")
				gate := make(chan struct{})
				c.sink.takes = []int{1}
				var w *call
				if resumed {
					c.sink.PostShared(output.Whole, p)
					c.sink.takes = []int{1}
					c.sink.tryGate = gate
					w = c.start(func() error { c.sink.resume(); return c.q.Err() })
				} else {
					c.sink.tryGate = gate
					w = c.start(func() error { c.sink.PostShared(output.Whole, p); return c.q.Err() })
				}
				w.waits("it is in the sink")
				behind := c.share(output.Whole, "behind")
				c.q.Fail(errOther)
				c.want("the flusher holds what it sends", p.Sole(), false)
				close(gate)
				w.returned("it took a part", errOther)
				c.want("nothing is left", c.q.Left(), false)
				c.want("released", p.Sole(), true)
				c.q.Drop()
				c.want("the output behind it is released: there is no flusher any more", behind.Sole(), true)
				c.want("the sink was not asked to tell", c.sink.parked, false)
				c.wantNothingMore(errOther)
			})
		})
	}
}

// A flight that was left to the sink may fail there, in Resume or on the goroutine that waits for a deaf sink.
func TestLeftFails(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, "c")
		c.sink.err = errSink
		c.sink.resume()
		c.wantSent("Resume", `try "b"`, "broke")
		c.wantNothingMore(errSink)
	})
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.deaf, c.sink.sendGate, c.sink.takes = true, gate, []int{1}
		p := shared("abc")
		c.sink.PostShared(output.Whole, p)
		synctest.Wait()
		c.sink.mu.Lock()
		c.sink.err = errSink
		c.sink.mu.Unlock()
		c.want("held", p.Sole(), false)
		close(gate)
		synctest.Wait()
		c.wantSent("the deaf sink's goroutine", `try "abc" took 1`, "leave", `send "bc"`, "broke")
		c.want("released", p.Sole(), true)
		c.wantNothingMore(errSink)
	})
}

// Drop releases the pending output, at once if there is no flusher.
func TestDropGivesBack(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("one")
	p := c.share(output.Whole, "two")
	c.write("three")
	leases := c.q.Leases()
	if len(leases) != 3 {
		t.Fatalf("%d leases", len(leases))
	}
	c.q.Drop()
	c.want("the shared one is released", p.Sole(), true)
	c.wantPending("after Drop", 0)
	if n := len(c.q.Leases()); n != 0 {
		t.Errorf("%d leases are left", n)
	}
	wantPoisoned(t, "the first lease", leases[0])
	wantPoisoned(t, "the last lease", leases[2])
	c.q.Drop()
	c.want("the second Drop releases nothing", p.Sole(), true)
	c.wantNothingMore(errClosed)
}

// wantPoisoned checks that b was put back. Only under the race detector the pool shows that.
func wantPoisoned(t *testing.T, what string, b []byte) {
	t.Helper()
	if bufpool.Poisoned && bytes.Count(b, []byte{0xDB}) != len(b) {
		t.Errorf("%s was not given back: %q", what, b)
	}
}

// Output that has been sent is released.
func TestSentIsGivenBack(t *testing.T) {
	c := newTalk(t)
	c.q.Hold()
	c.write("one")
	p := c.share(output.Whole, "two")
	c.write("three")
	leases := c.q.Leases()
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.want("the shared one is released", p.Sole(), true)
	wantPoisoned(t, "the first lease", leases[0])
	wantPoisoned(t, "the last lease", leases[2])
}

// Drop also releases a batch that was left to the sink.
func TestDropWhileParked(t *testing.T) {
	c := newTalk(t)
	p := shared("shared")
	c.sink.takes = []int{1}
	c.sink.PostShared(output.Whole, p)
	r := c.share(output.Whole, "behind")
	c.post(output.Whole, "it")
	leases := c.q.Leases()
	c.q.Drop()
	c.want("what was left is released", p.Sole(), true)
	c.want("what was behind it is released", r.Sole(), true)
	wantPoisoned(t, "the last lease", leases[1])
	c.wantPending("after Drop", 0)
	c.sink.resume()
	c.wantNothingMore(errClosed)
}

// If there is a flusher, Drop leaves everything to it: it is still reading its batch.
func TestDropWhileSending(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.sendGate = gate
		c.q.Hold()
		p := c.share(output.Whole, "shared")
		w := c.start(func() error { return c.sink.ReleaseFlush() })
		r := c.share(output.Whole, "behind")
		c.q.Drop()
		c.want("the flusher holds what it sends", p.Sole(), false)
		close(gate)
		w.returned("the peer took it", errClosed)
		c.want("what was sent is released", p.Sole(), true)
		c.want("what was behind it is released", r.Sole(), true)
		c.wantPending("after Drop", 0)
		c.wantSent("what was behind it is not sent", `send "shared"`)
		c.wantNothingMore(errClosed)
	})
}

// The first reason for a failure stays, whatever fails later.
func TestFirstReasonStays(t *testing.T) {
	c := newTalk(t)
	c.q.Fail(errOther)
	c.q.Fail(errSink)
	c.q.Drop()
	c.wantNothingMore(errOther)
}

// While writing works, Err does not take the lock: many goroutines call it often.
func TestErrTakesNoLock(t *testing.T) {
	var q output.Queue
	asked := make(chan error, 1)
	trimmed := make(chan bool, 1)
	go func() {
		trimmed <- q.TrimIdle(func() { asked <- q.Err() }) // called with the lock held
	}()
	select {
	case err := <-asked:
		if err != nil || !<-trimmed {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Err waits for the lock")
	}
}

// A dropped queue does not keep its source in memory.
func TestDropForgetsTheSource(t *testing.T) {
	c := newTalk(t)
	src := &source{units: []string{"no"}}
	c.sink.from(src)
	c.q.Drop()
	c.sink.Draw()
	c.wantSent("Draw after Drop")
	if src.asked > 0 {
		t.Error("the source was asked")
	}
}
