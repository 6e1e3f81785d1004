package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// When a manual clock loses time, limits for the peer stay as far away, and deadlines of users come closer.
func TestLose(t *testing.T) {
	d := manual(t)
	h := d.holder("h")
	began, now := time.Now(), d.k.Now()
	user, limit := d.k.Due(d.k.Wall().Add(time.Minute)), clock.Limit(d.k.Now()+int64(time.Minute))
	d.k.Arm(h, in(time.Minute))
	h.next = func(now clock.Moment) clock.Moment { return in(time.Minute) }
	d.k.Lose(59 * time.Second)
	d.want("called at once, to look again", "h 0s")
	if d.k.Now() != now || time.Since(began) > time.Minute {
		t.Errorf("the time is %d", d.k.Now())
	}
	if at := d.k.Moment(user); at > now+int64(time.Second) || at < now {
		t.Errorf("a user's deadline comes at %v", time.Duration(at))
	}
	if at := d.k.Moment(limit); at != now+int64(time.Minute) {
		t.Errorf("a limit comes at %v", time.Duration(at))
	}
	h.next = nil
	d.k.Advance(time.Minute - tick)
	d.want("a minute has not passed")
	d.k.Advance(tick)
	d.want("the deadline", "h 1m0s")
}

// late makes the clock late by d: its goroutine cannot run while the bubble's time goes on.
func (d *diary) late(by time.Duration) {
	held := make(chan struct{})
	d.k.AtTick(call(func() { <-held }))
	time.Sleep(by)
	close(held)
	synctest.Wait()
}

// A tick that is a little late loses no time; after one that is much later, the clock goes on where it was.
func TestLateTick(t *testing.T) {
	for _, tc := range []struct {
		late time.Duration
		lost bool
	}{{50 * time.Millisecond, false}, {2 * time.Second, true}} {
		running(t, func(d *diary) {
			before := d.k.Now()
			h := d.holder("h")
			d.k.Arm(h, before+int64(time.Second))
			d.late(tc.late)
			passed := time.Duration(d.k.Exact() - before)
			if lost := passed < tc.late-tick; lost != tc.lost {
				t.Errorf("late by %v: %v have passed", tc.late, passed)
			}
			if !tc.lost {
				return
			}
			time.Sleep(tick)
			synctest.Wait()
			if d.seen = len(d.told); d.seen != 1 {
				t.Errorf("called %q", d.told)
			}
			user := d.k.Due(time.Now().Add(time.Minute))
			time.Sleep(10 * time.Second)
			if at := d.k.Moment(user) - d.k.Exact(); at != int64(50*time.Second) {
				t.Errorf("a minute after the loss, less 10 s: %v", time.Duration(at))
			}
			if passed := time.Duration(d.k.Exact() - before); passed > 10*time.Second || passed < 9*time.Second {
				t.Errorf("10 s after the loss %v have passed", passed)
			}
		})
	}
}

// On a machine on which every tick is late, time still passes.
func TestAlwaysLate(t *testing.T) {
	running(t, func(d *diary) {
		before, began := d.k.Now(), time.Now()
		for range 50 {
			d.late(150 * time.Millisecond)
		}
		if passed, real := time.Duration(d.k.Now()-before), time.Since(began); passed < real/3 {
			t.Errorf("of %v %v have passed", real, passed)
		}
	})
}

// A clock that sleeps until a distant deadline looks at the time meanwhile: otherwise it would not notice a stop that ends
// before the deadline.
func TestNaps(t *testing.T) {
	running(t, func(d *diary) {
		h := d.holder("h")
		d.k.Arm(h, d.k.Now()+int64(time.Minute))
		time.Sleep(30 * time.Second)
		if !d.k.Asleep() {
			t.Fatal("the clock is awake")
		}
		if age := d.k.Age(); age > time.Second {
			t.Errorf("the clock did not run for %v", age)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if len(d.told) != 1 {
			t.Errorf("called %q", d.told)
		}
	})
}

// A timer calls its function once, when its time has passed; lost time does not count.
func TestTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, called := clock.NewManual(), 0
		timer := k.AfterFunc(time.Minute, func() { called++ })
		want := func(n int, why string) {
			t.Helper()
			if synctest.Wait(); called != n {
				t.Fatalf("%s: called %d times, want %d", why, called, n)
			}
		}
		k.Lose(time.Hour)
		k.Advance(time.Minute - tick)
		want(0, "a minute has not passed")
		k.Advance(time.Minute)
		want(1, "a minute has passed")
		if timer.Stop() {
			t.Error("Stop says that it stopped a call that was made")
		}
		timer.Reset(time.Minute)
		k.Advance(time.Minute)
		want(2, "again")
		timer.Reset(time.Minute)
		if !timer.Stop() {
			t.Error("Stop reports false")
		}
		k.Advance(time.Hour)
		want(2, "stopped")
	})
}
