package output_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// told calls OnRoom and returns how often its callback has run, once all other goroutines wait.
func (c *talk) told() (times func() int32) {
	var n atomic.Int32
	c.q.OnRoom(func() {
		c.q.Pending() // it is called without the queue's lock
		n.Add(1)
	})
	return func() int32 {
		synctest.Wait()
		return n.Load()
	}
}

// wantTold checks how often the callback of OnRoom has been called.
func (c *talk) wantTold(why string, times func() int32, want int32) {
	c.Helper()
	if n := times(); n != want {
		c.Errorf("%s: called %d times, want %d", why, n, want)
	}
}

// Each callback of OnRoom is called once, as soon as there is room.
func TestOnRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.wantTold("there is room already", c.told(), 1)
		c.park("a", "b")
		c.post(output.Whole, x(testBound))
		first, second := c.told(), c.told()
		c.wantTold("the queue is full", first, 0)
		c.sink.resume()
		c.wantTold("there is room", first, 1)
		c.wantTold("there is room for the second, too", second, 1)
		c.seen = len(c.sink.log)
		c.park("c", "d")
		c.sink.resume()
		c.wantTold("only once", first, 1)
	})
}

// Room for one byte counts as room, a full queue does not.
func TestOnRoomAtTheBound(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound-1))
		c.post(output.Whole, "y")
		w := c.told()
		c.wantErr("something wakes all", c.q.BeginParts(t.Context(), 0), nil)
		c.q.EndParts()
		c.wantTold("the queue is full", w, 0)
		c.sink.resume()
		c.wantTold("it is not", w, 1)
	})
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound-1))
		w := c.told()
		c.q.TryParts()
		c.q.EndParts() // this wakes all
		c.wantTold("one byte more has room", w, 1)
		c.sink.resume()
	})
}

// While a message is written in parts, there is no room for Post.
func TestOnRoomDuringParts(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.q.TryParts()
		w := c.told()
		c.post(output.Part, "a")
		c.wantTold("a message in parts", w, 0)
		c.q.EndParts()
		c.wantTold("no message in parts", w, 1)
	})
}

// A failure of writing also calls the callbacks of OnRoom, because a Post would fail.
func TestOnRoomAfterFailure(t *testing.T) {
	for name, begin := range map[string]func(c *talk) (end func()){
		"idle":  func(c *talk) func() { return func() {} },
		"parts": func(c *talk) func() { c.q.TryParts(); return func() {} },
		"left":  func(c *talk) func() { c.park("a", "b"); c.post(output.Part, x(testBound)); return c.sink.resume },
		"flushing": func(c *talk) func() {
			f := c.q.TakeNone()
			c.post(output.Part, x(testBound))
			return func() { c.q.Finished(f, nil) }
		},
	} {
		for how, fail := range map[string]func(c *talk){
			"fail": func(c *talk) { c.q.Fail(errOther) },
			"drop": func(c *talk) { c.q.Drop() },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *talk) {
					end := begin(c)
					before := c.told()
					fail(c)
					c.wantTold("a callback that was registered before", before, 1)
					after := c.told()
					end()
					c.wantTold("a callback that was registered afterwards", after, 1)
				})
			})
		}
	}
}

// The failure of a flight calls the callbacks of OnRoom.
func TestOnRoomWhenAFlightFails(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound))
		w := c.told()
		c.sink.err = errSink
		c.sink.resume()
		c.wantTold("it failed", w, 1)
	})
}

// A callback of OnRoom is called when the flight under way has left, and not before: its caller found no room, and would
// try again and again.
func TestOnRoomWaitsForTheFlight(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound-1))
		c.refused("of what has no room", output.Whole, "xx")
		w := c.told()
		c.wantTold("the flight is on its way", w, 0)
		c.sink.resume()
		c.wantTold("it has left", w, 1)
	})
}

// A callback of OnRoom is called when the next flight takes the pending output.
func TestOnRoomComesWithTheFlight(t *testing.T) {
	inBubble(t, func(t *testing.T, c *talk) {
		c.park("a", "b")
		c.post(output.Whole, x(testBound))
		w := c.told()
		c.sink.takes = []int{1, 0}
		c.sink.resume()
		c.want("the next flight is left", c.q.Left(), true)
		c.wantPending("nothing is pending behind it", 0)
		c.wantTold("there is room", w, 1)
		c.sink.resume()
	})
}
