package ebb

import (
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// fakeHeap counts the calls that it gets.
type fakeHeap struct {
	collected uint64
	unwanted  bool
	given     int
}

func (h *fakeHeap) Collections() (uint64, bool) { return h.collected, !h.unwanted }
func (h *fakeHeap) GiveBack()                   { h.given++ }

// flood lets that many connections become active, and then leave until only left are active; it returns how often an ebb
// began.
func (b *Ebb) flood(active, left int64) (began int) {
	for active > left {
		active--
		if b.begins(active) {
			began++
		}
	}
	return began
}

// Memory is given back once, some time after a flood, and not while connections come and go as usual.
func TestEbb(t *testing.T) {
	for name, c := range map[string]struct {
		flood, left int64  // so many were active; so many are still active when the flood ends, or does not
		later       int64  // and so many after the calm
		collected   uint64 // collections meanwhile
		unwanted    bool   // the program collects by itself: GOGC=off
		began       int
		given       int
	}{
		"over":                     {flood: 1000, left: 125, later: 125, began: 1, given: 1},
		"none left":                {flood: 5000, left: 0, later: 0, began: 1, given: 1},
		"one collection since":     {flood: 1000, left: 0, later: 0, collected: 1, began: 1, given: 1},
		"collected by the runtime": {flood: 1000, left: 0, later: 0, collected: 2, began: 1},
		"collected by the program": {flood: 1000, left: 0, later: 0, unwanted: true, began: 1},
		"too few":                  {flood: 999, left: 0},
		"does not ebb":             {flood: 1000, left: 126},
		"comes again":              {flood: 1000, left: 0, later: 126, began: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := &fakeHeap{unwanted: c.unwanted}
			b := &Ebb{Heap: h}
			if n := b.flood(c.flood, c.left); n != c.began {
				t.Fatalf("the flood began to ebb %d times, want %d", n, c.began)
			}
			if c.began == 0 {
				return
			}
			h.collected = c.collected
			b.end(c.later, 0)
			if h.given != c.given {
				t.Errorf("memory was given back %d times, want %d", h.given, c.given)
			}
		})
	}
}

// TestHigh: the most that were active at once includes the connection that has just left.
func TestHigh(t *testing.T) {
	b := &Ebb{Heap: &fakeHeap{}}
	for _, c := range []struct{ active, high int64 }{{4, 5}, {3, 5}, {5, 6}, {9, 10}} {
		if b.begins(c.active); b.High.Load() != c.high {
			t.Errorf("%d are left of %d, want %d", c.active, b.High.Load(), c.high)
		}
	}
}

// TestEbbAgain: each flood is one of its own, and one that comes again before it is over is the same.
func TestEbbAgain(t *testing.T) {
	h := &fakeHeap{}
	b := &Ebb{Heap: h}
	for i, left := range []int64{500, 0, 500, 0} { // first with few active, then with 500: the peak of the previous flood is forgotten
		n := b.flood(1500, left)
		switch {
		case left == 500 && n != 0:
			t.Errorf("flood %d ended with 500 of 1500 left", i)
		case left == 0 && n != 1:
			t.Errorf("flood %d began to ebb %d times", i, n)
		case left == 0:
			b.end(400, 0)
			if b.flood(400, 0) != 1 {
				t.Errorf("flood %d came again, and its end was not noticed", i)
			}
			b.end(0, 0)
			if n := b.flood(500, 0); n != 0 {
				t.Errorf("500 connections after flood %d count as a flood", i)
			}
		}
	}
	if h.given != 2 {
		t.Errorf("memory was given back %d times after two floods", h.given)
	}
}

// A flood ends by connections that leave; its calm is measured by the clock.
func TestLeft(t *testing.T) {
	h := &fakeHeap{}
	k := clock.NewManual()
	b := &Ebb{Heap: h}
	active := int64(FloodSize)
	for active > 0 {
		active--
		b.Left(k, func() int64 { return active })
	}
	k.Advance(Calm - time.Millisecond)
	time.Sleep(time.Millisecond)
	if b.High.Load() != FloodSize {
		t.Fatal("the flood is over too early")
	}
	k.Advance(time.Millisecond)
	for end := time.Now().Add(10 * time.Second); b.High.Load() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the flood is never over")
		}
	}
}

// The heap of the process counts its collections and knows GOGC=off.
func TestProcessHeap(t *testing.T) {
	var h processHeap
	before, wanted := h.Collections()
	if !wanted {
		t.Error("the heap counts no collections")
	}
	h.GiveBack()
	if after, _ := h.Collections(); after < before+2 {
		t.Errorf("%d collections, want 2", after-before)
	}
	for _, percent := range []int{-1, 0, math.MaxInt32} {
		old := debug.SetGCPercent(percent)
		if _, wanted := h.Collections(); wanted != (percent >= 0) {
			t.Errorf("GOGC=%d: Wanted is %v", percent, wanted)
		}
		debug.SetGCPercent(old)
	}
}
