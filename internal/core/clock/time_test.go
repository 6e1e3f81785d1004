package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// A manual clock stands still until it is advanced, and goes tick by tick.
func TestManualTime(t *testing.T) {
	d := manual(t)
	if now := d.k.Now(); now != in(0) {
		t.Errorf("the clock begins at %d; 0 means never", now)
	}
	d.k.Advance(0)
	if now := d.k.Now(); now != in(0) {
		t.Errorf("Advance(0) made it %d", now)
	}
	h := d.holder("h")
	h.next = func(now clock.Moment) clock.Moment { return now + 1 }
	d.k.Arm(h, 1)
	d.k.Advance(12 * time.Millisecond)
	d.want("every tick, and the rest of one", "h 5ms", "h 10ms", "h 12ms")
	if now := d.k.Now(); now != in(12*time.Millisecond) {
		t.Errorf("the time is %d", now)
	}
	d.k.Finish() // this is for clocks that have a goroutine
	d.k.Advance(tick)
	d.want("a manual clock has no end", "h 17ms")
	if d.k.Alive() {
		t.Error("a manual clock has a goroutine")
	}
}

// No method of a manual clock starts a goroutine.
func TestManualHasNoGoroutine(t *testing.T) {
	d := manual(t)
	a, b := d.holder("a"), d.holder("b")
	d.k.Arm(a, in(time.Second))
	d.k.Arm(b, in(time.Second/2))
	d.k.Disarm(a)
	d.k.Disarm(b)
	d.k.AtTick(call(func() {}))
	d.k.Now()
	if d.k.Alive() {
		t.Error("a manual clock has an end")
	}
	d.k.Advance(tick)
}

// Tick is called at the next tick, once, before the clock goes on: no goroutine is started for it.
func TestAtTick(t *testing.T) {
	k := clock.NewManual()
	said := ""
	k.AtTick(call(func() { said += " one" }))
	k.AtTick(call(func() {
		k.AtTick(call(func() { said += " late" }))
		said += " two"
	}))
	if said != "" {
		t.Fatalf("before the tick:%s", said)
	}
	for _, want := range []string{" one two", " one two late", " one two late"} {
		if k.Advance(tick); said != want {
			t.Errorf("called:%s, want%s", said, want)
		}
	}
}

// Wall is the time of day at the last tick, and At converts it back.
func TestWallAndAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := clock.NewManual()
		began := time.Now()
		if w := k.Wall(); !w.Equal(began) {
			t.Errorf("Wall() = %v, want %v", w, began)
		}
		k.Advance(17 * time.Millisecond)
		// Its first moment is 1, not 0, so it may be a nanosecond ahead.
		if w, want := k.Wall(), began.Add(17*time.Millisecond); w.Sub(want).Abs() > 1 {
			t.Errorf("Wall() = %v, want %v", w, want)
		}
		if at := k.At(began.Add(time.Second)); at != int64(time.Second) {
			t.Errorf("At(a second after the beginning) = %d", at)
		}
		if at := k.At(time.Time{}); at != 0 {
			t.Errorf("At(the zero time) = %d, want never", at)
		}
		for _, before := range []time.Duration{0, 1, time.Hour} {
			if at := k.At(began.Add(-before)); at != 1 {
				t.Errorf("At(%v before the beginning) = %d, want the first moment, not never", before, at)
			}
		}
	})
}

// A time without a monotonic reading is as far away as the time of day says now, even if the time of day was set since the
// clock was created: scripts/test jump sets it all the time.
func TestAtOfTimeOfDay(t *testing.T) {
	k := clock.New()
	defer k.Finish()
	for range 10 {
		time.Sleep(10 * time.Millisecond)
		begun := k.At(time.Now())
		wall := time.Now().Round(0)
		at := k.At(wall.Add(time.Minute))
		if again := time.Now(); again.Round(0).Sub(wall).Abs() > time.Second {
			continue // it was set meanwhile
		} else if ended := k.At(again); at < begun+int64(time.Minute) || at > ended+int64(time.Minute) {
			t.Errorf("a minute from now is %v from now", time.Duration(at-begun))
		}
	}
	for at, want := range map[time.Time]bool{time.Unix(1, 0): true, time.Unix(1<<40, 0): false} {
		if got := k.At(at); (got == 1) != want {
			t.Errorf("At(%v) = %v", at.UTC(), time.Duration(got))
		}
	}
}

// Neither reading the time nor setting a distant deadline allocates: every request does both.
func TestNoAllocations(t *testing.T) {
	d := manual(t)
	h := d.holder("h")
	d.k.Arm(h, in(time.Hour))
	if n := testing.AllocsPerRun(100, func() { d.k.Now() }); n != 0 {
		t.Errorf("Now: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { d.k.Wall() }); n != 0 {
		t.Errorf("Wall: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { d.k.Arm(h, in(2*time.Hour)) }); n != 0 {
		t.Errorf("Arm of what is armed: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		d.k.Disarm(h)
		d.k.Arm(h, in(time.Hour))
		d.k.Arm(h, in(time.Minute))
	}); n != 0 {
		t.Errorf("Disarm and Arm: %v allocations", n)
	}
}

// Now may be late by a tick; Exact is not, and after it a deadline of now has come.
func TestExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := clock.New()
		defer k.Finish()
		began := k.Now()
		time.Sleep(tick - 1)
		if late := k.Now(); late != began {
			t.Fatalf("the time is %d without a tick", late)
		}
		if now := k.Exact(); now != int64(tick)-1 {
			t.Errorf("the time is %d", now)
		}
		time.Sleep(tick / 2)
		if at := k.At(time.Now()); !clock.Passed(at, k.Now()) {
			t.Errorf("now is %d, and the time is %d", at, k.Now())
		}
		if at := k.At(time.Now().Add(1)); clock.Passed(at, k.Now()) {
			t.Error("a time to come has passed")
		}
	})
}
