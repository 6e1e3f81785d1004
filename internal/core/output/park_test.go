package output_test

import (
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// Output that the sink does not take at once is sent before anything else, in as many tries as it needs.
func TestPartialTry(t *testing.T) {
	c := newTalk(t)
	c.want("nothing is left", c.q.Left(), false)
	c.sink.takes = []int{2, 0, 3}
	c.post(output.Whole, "abcdef")
	c.wantSent("the post", `try "abcdef" took 2`, "leave")
	c.post(output.Whole, "gh")
	c.write("ij")
	c.wantSent("nothing overtakes")
	c.want("something is left", c.q.Left(), true)
	c.sink.resume()
	c.wantSent("a false alarm", `try "cdef" took 0`, "leave")
	c.sink.resume()
	c.wantSent("some room", `try "cdef" took 3`, "leave")
	c.sink.resume()
	c.wantSent("enough room", `try "f"`, `try "ghij"`)
	c.want("nothing is left", c.q.Left(), false)
	c.sink.resume()
	c.wantSent("Resume when nothing is left")
	c.post(output.Whole, "k")
	c.wantGot("in all", "abcdefghijk")
}

// A flight that waits for a slow peer holds no buffer that it does not use.
func TestSharedUnitsHoldNoBuffer(t *testing.T) {
	var queues [2]output.Queue
	var flights [2]*output.Flight
	for i := range queues { // the pool gets two flights with a buffer
		flights[i], _, _ = queues[i].Write(t.Context(), output.Whole, []byte("small"), nil)
	}
	for i := range queues {
		queues[i].Finished(flights[i], nil)
	}
	c := newTalk(t)
	p, r := shared("shared"), shared("behind it")
	f, _, _, _ := c.q.PostShared(output.Whole, p)
	f.A = f.A[1:]
	c.q.Leave(f)
	if n := f.Buffer(); n > 0 {
		t.Errorf("the flight that is left holds %d bytes", n)
	}
	c.q.PostShared(output.Whole, r)
	if n := c.q.NextBuffer(); n > 0 {
		t.Errorf("the pending output holds %d bytes", n)
	}
	c.q.Drop()
	p.Release()
	r.Release()
}

// Resume returns nothing on a queue that never left a flight.
func TestResumeOfNothing(t *testing.T) {
	c := newTalk(t)
	c.sink.resume()
	c.write("a")
	c.sink.resume()
	c.wantSent("only the write", `send "a"`)
}

// A batch of many pieces can be cut anywhere.
func TestPartialTryOfManyPieces(t *testing.T) {
	const all = "ab[shared]cd[another]ef"
	for cut := range len(all) {
		c := newTalk(t)
		c.q.Hold()
		c.write("ab")
		p := c.share(output.Whole, "[shared]")
		c.write("cd")
		r := c.share(output.Whole, "[another]")
		c.write("ef")
		c.q.Release()
		c.sink.takes = []int{cut}
		c.wantErr("Take", c.sink.Take(), nil)
		c.want("held while it is on its way", p.Sole() || r.Sole(), false)
		c.sink.resume()
		c.wantGot("in all", all)
		c.want("held when it has left", p.Sole() && r.Sole(), true)
		p.Release()
		r.Release()
	}
}

// A sink may keep what it has taken, as TLS does; the queue is not idle then.
func TestSinkKeeps(t *testing.T) {
	c := newTalk(t)
	c.sink.keeps = true
	c.post(output.Whole, "ab")
	c.wantSent("the post", `try "ab"`, "leave")
	c.want("something is left", c.q.Left(), true)
	c.want("TrimIdle", c.sink.TrimIdle(), false)
	c.sink.resume()
	c.wantSent("the rest", `try ""`)
	c.want("TrimIdle", c.sink.TrimIdle(), true)
}

// If the sink cannot report room, a goroutine waits instead.
func TestDeafSink(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.sink.deaf = true
		gate := make(chan struct{})
		c.sink.sendGate = gate
		c.sink.takes = []int{1}
		c.post(output.Whole, "abc")
		synctest.Wait()
		c.wantSent("the post", `try "abc" took 1`, "leave", `send "bc"`)
		c.want("nothing is left to the sink", c.q.Left(), false)
		c.post(output.Whole, "de")
		c.want("Resume", c.q.Resume() == nil, true)
		synctest.Wait()
		c.wantSent("while it waits")
		close(gate)
		synctest.Wait()
		c.wantSent("there is room", `try "de"`)
		c.wantGot("in all", "abcde")
	})
}

// A sink may become deaf between Leave and Resume.
func TestDeafLater(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "bc")
		c.sink.deaf = true
		c.sink.takes = []int{1}
		c.sink.resume()
		synctest.Wait()
		c.wantSent("Resume", `try "bc" took 1`, "leave", `send "c"`)
		c.wantGot("in all", "abc")
	})
}

// Output that was being sent when a Hold came leaves; the output behind it does not.
func TestResumeWhileHeld(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.q.Hold()
	c.post(output.Whole, "c")
	c.sink.resume()
	c.wantSent("Resume", `try "b"`)
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantSent("ReleaseFlush", `send "c"`)
}

// Nothing is sent before a batch that was left to the sink, whichever method is called.
func TestNobodyOvertakesWhatIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.q.Hold()
		c.write("c")
		c.sink.TakeNone()
		c.wantErr("Take", c.sink.Take(), nil)
		c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
		c.sink.EndTick()
		large := c.startWrite(t.Context(), output.Whole, "", x(output.GatherFrom))
		flush := c.start(func() error { return c.sink.Flush() })
		large.waits("a batch is left")
		flush.waits("a batch is left")
		c.wantSent("while it is left")
		c.sink.resume()
		large.returned("it has left", nil)
		flush.returned("it has left", nil)
		if n := len(c.sink.got); n != 3+output.GatherFrom {
			t.Errorf("the peer got %d bytes", n)
		}
	})
}

// Two calls of Resume send the flight once.
func TestResumeTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		gate := make(chan struct{})
		c.sink.tryGate = gate
		first := c.start(func() error { c.sink.resume(); return nil })
		first.waits("it is in the sink")
		c.want("there is nothing for the second", c.q.Resume() == nil, true)
		close(gate)
		first.returned("the sink has taken it", nil)
		c.wantGot("in all", "ab")
	})
}

// A post while another post is in the sink does not wait for it, and is sent by it.
func TestPostsDoNotWaitForEachOther(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		gate := make(chan struct{})
		c.sink.tryGate = gate
		w := c.start(func() error { _, _, err := c.sink.Post(output.Whole, []byte("a")); return err })
		w.waits("it is in the sink")
		c.post(output.Whole, "b")
		c.share(output.Whole, "c").Release()
		close(gate)
		w.returned("it has left", nil)
		c.wantSent("in turn", `try "a"`, `try "bc"`)
	})
}
