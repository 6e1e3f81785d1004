package output_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

func (s *sink) PostTwo(u output.Unit, a, b []byte) (ok, held bool, err error) {
	return s.posting(func() (*output.Flight, bool, bool, error) { return s.q.PostTwo(u, a, b) })
}

// postTwo posts both and then uses the memory for something else.
func (c *talk) postTwo(a, b string) (given bool) {
	c.T.Helper()
	pa, pb := []byte(a), []byte(b)
	ok, held, err := c.sink.PostTwo(output.Whole, pa, pb)
	if !ok || held || err != nil {
		c.T.Errorf("PostTwo: %v, held %v, %v", ok, held, err)
	}
	for _, s := range c.sink.slices {
		given = given || len(pb) > 0 && unsafe.SliceData(s) == unsafe.SliceData(pb)
	}
	clear(pa)
	clear(pb)
	return given
}

var largeUnit = strings.Repeat("b", output.GatherFrom)

// A large b is sent from the caller's memory, a small one is copied; both leave with a.
func TestPostTwo(t *testing.T) {
	c := newTalk(t)
	c.want("a small one is sent from where it is", c.postTwo("head", "body"), false)
	c.wantSent("a small one", `try "headbody"`)
	c.want("one byte too few", c.postTwo("", largeUnit[1:]), false)
	c.want("a large one is copied", !c.postTwo("head", largeUnit), false)
	c.wantGot("in all", "headbody"+largeUnit[1:]+"head"+largeUnit)
	c.wantPending("nothing of it stays in the queue", 0)
}

// The part of a large b that is not taken at once is copied, because the caller goes on with its memory.
func TestPostTwoIsLeft(t *testing.T) {
	for _, cut := range []int{0, 1, 4, 5, output.GatherFrom, output.GatherFrom + 3} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			c := newTalk(t)
			c.sink.takes = []int{cut, 0, 1}
			c.postTwo("head", largeUnit)
			c.post(output.Whole, "next")
			for c.q.Left() {
				c.sink.resume()
			}
			c.wantGot("in all", "head"+largeUnit+"next")
			c.post(output.Whole, "more")
			c.wantGot("then", "head"+largeUnit+"nextmore")
		})
	}
}

// If other output is before it, or it is held back, a large b is copied and waits.
func TestPostTwoBehindOthers(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.postTwo("head", largeUnit)
	c.sink.resume()
	c.wantGot("behind what is left", "abhead"+largeUnit)

	c = newTalk(t)
	c.q.Hold()
	if ok, held, err := c.sink.PostTwo(output.Whole, []byte("head"), []byte(largeUnit)); !ok || !held || err != nil {
		t.Error(ok, held, err)
	}
	c.wantSent("held")
	c.wantErr("ReleaseFlush", c.sink.ReleaseFlush(), nil)
	c.wantGot("released", "head"+largeUnit)

	for _, takes := range [][]int{nil, {3, 0, 10}} { // all at once; not even the head, for a while
		c = newTalk(t)
		c.q.Bound = 1 << 16
		c.q.Hold()
		p := c.share(output.Whole, "shared ")
		c.q.Release()
		c.sink.takes = takes
		c.postTwo("head", largeUnit)
		for c.q.Left() {
			c.sink.resume()
		}
		p.Release()
		c.wantGot("behind what is shared", "shared head"+largeUnit)
	}
}

// PostTwo reports that there is no room, and a failure.
func TestPostTwoRefused(t *testing.T) {
	c := newTalk(t)
	c.park("a", "b")
	c.post(output.Whole, x(testBound))
	if ok, _, err := c.sink.PostTwo(output.Whole, []byte("head"), []byte("b")); ok || err != nil {
		t.Error(ok, err)
	}
	c.wantPending("refused", testBound)
	c = newTalk(t)
	c.sink.err = errSink
	if ok, _, err := c.sink.PostTwo(output.Whole, []byte("head"), []byte(largeUnit)); ok || err != errSink {
		t.Error(ok, err)
	}
	if ok, _, err := c.sink.PostTwo(output.Whole, nil, nil); ok || err != errSink {
		t.Error(ok, err)
	}
}
