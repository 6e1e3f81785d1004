package clock_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// Holders are called at their deadlines, in order, and once each.
func TestHoldersAreToldInOrder(t *testing.T) {
	d := manual(t)
	for _, ms := range []int{30, 10, 20, 50, 40, 15} {
		d.k.Arm(d.holder(fmt.Sprint(ms)), in(time.Duration(ms)*time.Millisecond))
	}
	d.k.Advance(9 * time.Millisecond)
	d.want("before the first deadline")
	d.k.Advance(time.Millisecond)
	d.want("at the first deadline", "10 10ms")
	d.k.Advance(30 * time.Millisecond)
	d.want("tick by tick", "15 15ms", "20 20ms", "30 30ms", "40 40ms")
	d.k.Advance(time.Second)
	d.want("the last deadline", "50 50ms")
	d.k.Advance(time.Second)
	d.want("each deadline once")
}

// Several deadlines within a tick expire in order, too.
func TestOrderWithinATick(t *testing.T) {
	d := manual(t)
	for _, us := range []int{3, 1, 4, 2} {
		d.k.Arm(d.holder(fmt.Sprint(us)), in(time.Duration(us)*time.Microsecond))
	}
	d.k.Advance(tick)
	d.want("within a tick", "1 5ms", "2 5ms", "3 5ms", "4 5ms")
}

// A deadline in the past expires at the next tick.
func TestPastDeadline(t *testing.T) {
	d := manual(t)
	d.k.Advance(time.Second)
	d.k.Arm(d.holder("past"), in(0))
	d.want("Arm does not tell")
	d.k.Advance(tick)
	d.want("the next time", "past 1.005s")
}

// A holder is called again at each deadline that its Expired returns, until it returns 0.
func TestExpiredArmsAgain(t *testing.T) {
	d := manual(t)
	h := d.holder("h")
	h.next = func(now clock.Moment) clock.Moment {
		if now >= in(30*time.Millisecond) {
			return 0
		}
		return now + int64(10*time.Millisecond)
	}
	d.k.Arm(h, in(10*time.Millisecond))
	d.k.Advance(time.Second)
	d.want("as long as it says", "h 10ms", "h 20ms", "h 30ms")
	if n := d.k.Armed(); n != 0 {
		t.Errorf("%d holders are left", n)
	}
}

// If Expired returns a moment that has come already, the holder is called at the next tick, not again and again in this
// one.
func TestExpiredReturnsThePast(t *testing.T) {
	d := manual(t)
	h := d.holder("h")
	h.next = func(now clock.Moment) clock.Moment { return 1 }
	d.k.Arm(h, in(tick))
	d.k.Advance(2 * tick)
	d.want("two ticks", "h 5ms", "h 10ms")
}

// An earlier deadline moves the holder in the heap, a later one does not: the clock calls the holder early and asks for
// the next.
func TestArmMovesEarlierOnly(t *testing.T) {
	d := manual(t)
	a, b := d.holder("a"), d.holder("b")
	d.k.Arm(a, in(30*time.Millisecond))
	d.k.Arm(b, in(20*time.Millisecond))
	d.k.Arm(a, in(40*time.Millisecond))
	d.k.Arm(a, in(30*time.Millisecond))
	d.k.Arm(b, 0) // never is not earlier
	d.k.Arm(a, in(10*time.Millisecond))
	if n := d.k.Armed(); n != 2 {
		t.Errorf("%d places in the heap for two holders", n)
	}
	d.k.Advance(time.Second)
	d.want("at the earliest", "a 10ms", "b 20ms")
}

// Arm with the deadline 0 does nothing.
func TestArmNever(t *testing.T) {
	d := manual(t)
	d.k.Arm(d.holder("never"), 0)
	if n := d.k.Armed(); n != 0 {
		t.Errorf("%d holders are in the heap", n)
	}
	d.k.Advance(time.Second)
	d.want("never")
}

// A disarmed holder is not called, and can be armed again.
func TestDisarm(t *testing.T) {
	d := manual(t)
	a, b, c := d.holder("a"), d.holder("b"), d.holder("c")
	d.k.Disarm(a) // was never armed
	d.k.Arm(a, in(10*time.Millisecond))
	d.k.Arm(b, in(20*time.Millisecond))
	d.k.Arm(c, in(30*time.Millisecond))
	d.k.Disarm(b)
	d.k.Disarm(b)
	d.k.Advance(15 * time.Millisecond)
	d.k.Disarm(a) // has already expired
	d.k.Arm(b, in(40*time.Millisecond))
	d.k.Advance(time.Second)
	d.want("all but what was disarmed", "a 10ms", "c 30ms", "b 40ms")
}

// A retired holder is not called any more, whichever goroutine arms it, and is not kept. It may retire while it is being
// called.
func TestRetire(t *testing.T) {
	d := manual(t)
	a, b, c := d.holder("a"), d.holder("b"), d.holder("c")
	c.next = func(now clock.Moment) clock.Moment {
		d.k.Retire(c)
		return now + int64(tick)
	}
	d.k.Retire(a) // was never armed
	d.k.Arm(b, in(20*time.Millisecond))
	d.k.Arm(c, in(30*time.Millisecond))
	d.k.Retire(b)
	d.k.Retire(b)
	d.k.Arm(a, in(10*time.Millisecond))
	d.k.Arm(b, in(10*time.Millisecond))
	d.k.Advance(time.Second)
	d.k.Arm(c, d.k.Now())
	d.want("all but what was retired", "c 30ms")
	if n := d.k.Armed(); n != 0 {
		t.Errorf("%d holders are kept", n)
	}
}

// A holder can be armed while it is being called: then the earlier one of that moment and of Expired's result counts.
func TestArmWithinExpired(t *testing.T) {
	for _, tc := range []struct{ arm, next, want time.Duration }{
		{20, 30, 20}, {30, 20, 20}, {20, 0, 20}, {20, 20, 20},
	} {
		d := manual(t)
		h := d.holder("h")
		h.next = func(clock.Moment) clock.Moment {
			h.next = nil
			d.k.Arm(h, in(tc.arm*time.Millisecond))
			if tc.next == 0 {
				return 0
			}
			return in(tc.next * time.Millisecond)
		}
		d.k.Arm(h, in(10*time.Millisecond))
		d.k.Advance(time.Second)
		d.want(fmt.Sprintf("Arm %v, Expired returns %v", tc.arm, tc.next), "h 10ms", fmt.Sprintf("h %v", tc.want*time.Millisecond))
	}
}

// A holder may arm and disarm other holders while it is being called.
func TestHolderActsOnOthers(t *testing.T) {
	d := manual(t)
	a, b, c := d.holder("a"), d.holder("b"), d.holder("c")
	a.next = func(clock.Moment) clock.Moment {
		d.k.Disarm(b)
		d.k.Arm(c, in(15*time.Millisecond))
		return 0
	}
	d.k.Arm(a, in(10*time.Millisecond))
	d.k.Arm(b, in(20*time.Millisecond))
	d.k.Advance(time.Second)
	d.want("in turn", "a 10ms", "c 15ms")
}

// A holder may be armed when the clock has taken it from the heap and has not called it yet.
func TestArmOfOneThatIsAboutToBeTold(t *testing.T) {
	d := manual(t)
	a, b := d.holder("a"), d.holder("b")
	a.next = func(clock.Moment) clock.Moment {
		d.k.Arm(b, in(30*time.Millisecond))
		return 0
	}
	d.k.Arm(a, in(9*time.Millisecond))
	d.k.Arm(b, in(10*time.Millisecond))
	d.k.Advance(time.Second)
	d.want("both, and the new deadline", "a 10ms", "b 10ms", "b 30ms")
}

// The heap agrees with a plain map over random calls. Failures name the seed.
func TestAgainstAList(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareWithAList(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func compareWithAList(t *testing.T, r *rand.Rand) {
	d := manual(t)
	holders := make([]*holder, 8)
	due := map[int]clock.Moment{} // what the model knows
	for i := range holders {
		holders[i] = d.holder(fmt.Sprint(i))
	}
	for range 200 {
		i := r.IntN(len(holders))
		switch r.IntN(4) {
		case 0:
			delete(due, i)
			d.k.Disarm(holders[i])
		case 1, 2:
			at := d.k.Now() + int64(tick)*r.Int64N(20)
			if known, ok := due[i]; !ok || at < known {
				due[i] = at
			}
			d.k.Arm(holders[i], at)
		case 3:
			before := d.k.Now()
			d.k.Advance(tick)
			if now := d.k.Now(); now != before+int64(tick) {
				t.Fatalf("a tick from %d to %d", before, now)
			}
			for i, at := range due {
				want := at <= d.k.Now()
				if told := d.wasTold(fmt.Sprint(i)); told != want {
					t.Fatalf("holder %d, due at %d: called %v at %d", i, at, told, d.k.Now())
				}
				if want {
					delete(due, i)
				}
			}
			if len(d.told) > d.seen {
				t.Fatalf("called without being due: %q", d.told[d.seen:])
			}
		}
		if n := d.k.Armed(); n != len(due) {
			t.Fatalf("%d holders in the heap, want %d", n, len(due))
		}
	}
}

// wasTold reports whether name was called since the last look, and removes it.
func (d *diary) wasTold(name string) bool {
	for i, told := range d.told[d.seen:] {
		if told == line(name, d.k.Now()) {
			d.told = append(d.told[:d.seen+i:d.seen+i], d.told[d.seen+i+1:]...)
			return true
		}
	}
	return false
}

// Earlier returns the earlier moment, where 0 is never.
func TestEarlier(t *testing.T) {
	for _, tc := range []struct{ a, b, want clock.Moment }{
		{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {5, 7, 5}, {7, 5, 5}, {5, 5, 5}, {-1, 5, -1}, {5, -1, -1},
	} {
		if got := clock.Earlier(tc.a, tc.b); got != tc.want {
			t.Errorf("Earlier(%d, %d) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// After adds a duration to a moment, and returns never for the duration 0.
func TestAfter(t *testing.T) {
	for _, tc := range []struct {
		at   clock.Moment
		d    time.Duration
		want clock.Moment
	}{{5, 0, 0}, {5, 3, 8}, {0, 3, 3}, {0, 0, 0}} {
		if got := clock.After(tc.at, tc.d); got != tc.want {
			t.Errorf("After(%d, %d) = %d, want %d", tc.at, tc.d, got, tc.want)
		}
	}
}

// A moment has passed when the time is at it or after it; never does not pass.
func TestPassed(t *testing.T) {
	for _, tc := range []struct {
		at, now clock.Moment
		want    bool
	}{{0, 5, false}, {5, 5, true}, {4, 5, true}, {6, 5, false}} {
		if got := clock.Passed(tc.at, tc.now); got != tc.want {
			t.Errorf("Passed(%d, %d) = %v", tc.at, tc.now, got)
		}
	}
}

// The heap does not keep a holder that was disarmed or has expired, so that its connection can be freed.
func TestHoldersAreForgotten(t *testing.T) {
	d := manual(t)
	told := forgotten(d, func(h *holder) { d.k.Advance(time.Second) })
	disarmed := forgotten(d, func(h *holder) { d.k.Disarm(h) })
	runtime.GC()
	if told.Value() != nil {
		t.Error("an expired holder is kept")
	}
	if disarmed.Value() != nil {
		t.Error("a disarmed holder is kept")
	}
	runtime.KeepAlive(d)
}

//go:noinline
func forgotten(d *diary, how func(h *holder)) weak.Pointer[holder] {
	h := d.holder("h")
	d.k.Arm(h, d.k.Now()+1)
	how(h)
	return weak.Make(h)
}
