package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// running calls f in a bubble with a clock that moves by itself.
func running(t *testing.T, f func(d *diary)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &diary{T: t, k: clock.New()}
		defer d.k.Finish()
		f(d)
	})
}

// quiet is long enough for an unused clock to rest.
const quiet = time.Second

// wantNow compares Now with the bubble's time; Now may be a tick behind.
func (d *diary) wantNow(why string) {
	d.Helper()
	synctest.Wait() // a tick that was due is over
	now, real := d.k.Now(), d.k.At(time.Now())
	if now > real || now <= real-int64(tick) {
		d.Errorf("%s: the clock says %v, it is %v", why, time.Duration(now), time.Duration(real))
	}
}

// While it is used, a clock is never more than a tick behind, and has one goroutine.
func TestTicksWhileAsked(t *testing.T) {
	running(t, func(d *diary) {
		d.wantNow("at first")
		for range 100 {
			time.Sleep(1100 * time.Microsecond)
			d.wantNow("asked often")
		}
		if !d.k.Alive() {
			t.Error("the clock has no goroutine")
		}
		time.Sleep(quiet / 20)
		d.wantNow("asked after a while")
	})
}

// Now changes only at ticks: it does not read the system's clock.
func TestNowIsCoarse(t *testing.T) {
	running(t, func(d *diary) {
		d.k.Now()
		time.Sleep(tick) // the first tick is under way
		synctest.Wait()
		before := d.k.Now()
		time.Sleep(tick - 1)
		if now := d.k.Now(); now != before {
			t.Errorf("within a tick %d became %d", before, now)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if now := d.k.Now(); now != before+int64(tick) {
			t.Errorf("a tick after %d it is %d", before, now)
		}
	})
}

// When a clock is not used and has no deadline, its goroutine ends. The time is still right when it is read again.
func TestEndsWhenNothingIsLeft(t *testing.T) {
	running(t, func(d *diary) {
		if d.k.Alive() {
			t.Error("an unused clock has a goroutine")
		}
		for range 3 {
			d.k.Now()
			if !d.k.Alive() {
				t.Error("a clock in use has no goroutine")
			}
			time.Sleep(quiet)
			synctest.Wait()
			if d.k.Alive() {
				t.Error("an unused clock still runs")
			}
			d.wantNow("asked again")
			if w := d.k.Wall(); time.Since(w) >= tick || time.Since(w) < 0 {
				t.Errorf("Wall() is %v behind", time.Since(w))
			}
		}
	})
}

// A clock sleeps until the next deadline and expires it exactly then. An awake clock would do so at a tick, so the time
// shows that it slept.
func TestSleepsToTheNextDeadline(t *testing.T) {
	running(t, func(d *diary) {
		h := d.holder("h")
		d.k.Now()
		d.k.Arm(h, int64(time.Hour+time.Millisecond))
		time.Sleep(quiet)
		synctest.Wait()
		if !d.k.Asleep() || !d.k.Alive() {
			t.Error("the clock does not rest")
		}
		time.Sleep(time.Hour - quiet)
		synctest.Wait()
		d.want("before")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		d.want("exactly at the deadline", "h 1h0m0.001s")
		d.wantNow("after it has slept")
		time.Sleep(2 * quiet)
		synctest.Wait()
		if d.k.Alive() {
			t.Error("nothing is left, and the clock still runs")
		}
	})
}

// While the clock is used, a deadline expires within a tick of its moment.
func TestDeadlineWhileAsked(t *testing.T) {
	running(t, func(d *diary) {
		h := d.holder("h")
		at := d.k.Now() + int64(52*time.Millisecond)
		d.k.Arm(h, at)
		for d.seen = 0; time.Duration(d.k.Now()) < 52*time.Millisecond; {
			d.want("too early")
			time.Sleep(time.Millisecond)
		}
		time.Sleep(tick)
		synctest.Wait()
		d.want("at a tick", "h 55ms")
	})
}

// An earlier deadline, and one after all others have gone, wake a clock that sleeps.
func TestArmWakes(t *testing.T) {
	running(t, func(d *diary) {
		began := d.k.Now()
		late, early := d.holder("late"), d.holder("early")
		d.k.Arm(late, began+int64(time.Hour))
		time.Sleep(quiet)
		d.k.Arm(early, began+int64(2*quiet))
		time.Sleep(2 * quiet)
		synctest.Wait()
		d.want("the earlier one", "early 2s")
		d.k.Disarm(late)
		time.Sleep(2 * quiet)
		synctest.Wait()
		if d.k.Alive() {
			t.Error("all deadlines are gone, and the clock still runs")
		}
		d.k.Arm(early, d.k.Now()+int64(time.Minute))
		time.Sleep(time.Minute + tick)
		synctest.Wait()
		d.want("after a new start", "early 1m5s")
		time.Sleep(2 * quiet)
		synctest.Wait()
		if d.k.Alive() {
			t.Error("nothing is left, and the clock still runs")
		}
	})
}

// AtTick wakes a clock that sleeps or has no goroutine, and waits for a tick: what comes meanwhile is called together.
func TestAtTickWakes(t *testing.T) {
	running(t, func(d *diary) {
		check := func(why string) {
			began := time.Now()
			called := make(chan time.Duration, 1)
			d.k.AtTick(call(func() { called <- time.Since(began) }))
			if after := <-called; after != tick {
				d.Errorf("%s: called after %v", why, after)
			}
		}
		check("it is not there")
		time.Sleep(quiet)
		synctest.Wait()
		check("it is not there any more")
		h := d.holder("h")
		d.k.Arm(h, d.k.Now()+int64(time.Hour))
		time.Sleep(quiet)
		synctest.Wait()
		if !d.k.Asleep() {
			t.Error("the clock does not rest")
		}
		check("it sleeps")
		d.k.Finish()
	})
}

// After Finish there is no goroutine and no deadline, but the time can still be read.
func TestFinish(t *testing.T) {
	for name, before := range map[string]func(d *diary){
		"unused": func(d *diary) {},
		"asked":  func(d *diary) { d.k.Now() },
		"asleep": func(d *diary) {
			d.k.Arm(d.holder("other"), d.k.Now()+int64(2*time.Hour))
			time.Sleep(quiet)
			synctest.Wait()
		},
		"gone": func(d *diary) {
			d.k.Now()
			time.Sleep(quiet)
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			running(t, func(d *diary) {
				before(d)
				h := d.holder("h")
				d.k.Now()
				d.k.Arm(h, d.k.Now()+int64(time.Hour))
				d.k.Finish()
				d.k.Finish()
				synctest.Wait()
				if d.k.Alive() {
					t.Error("the clock still runs")
				}
				time.Sleep(3 * time.Hour)
				if now, real := d.k.Now(), d.k.At(time.Now()); now != real {
					t.Errorf("the clock says %v, the time is %v", time.Duration(now), time.Duration(real))
				}
				if w := d.k.Wall(); !w.Equal(time.Now()) {
					t.Errorf("Wall() is %v behind", time.Since(w))
				}
				synctest.Wait()
				if d.k.Alive() {
					t.Error("the clock runs again")
				}
				d.want("a deadline came after the end")
			})
		})
	}
}

// Arm and Disarm after Finish start no goroutine and call no holder.
func TestArmAfterFinish(t *testing.T) {
	running(t, func(d *diary) {
		a, b := d.holder("a"), d.holder("b")
		d.k.Arm(a, d.k.Now()+int64(time.Hour))
		d.k.Finish()
		synctest.Wait()
		d.k.Arm(b, 1)
		synctest.Wait()
		d.want("Arm after Finish")
		time.Sleep(2 * time.Hour)
		d.k.Disarm(b)
		d.k.Disarm(a)
		synctest.Wait()
		d.want("Disarm after Finish")
		d.k.AtTick(call(func() { t.Error("AtTick after Finish") }))
		time.Sleep(quiet)
	})
}

// A deadline alone starts the clock, even if the time is never read: it must sleep then, too.
func TestArmAlone(t *testing.T) {
	running(t, func(d *diary) {
		h := d.holder("h")
		last, often := clock.Moment(0), 0
		h.next = func(now clock.Moment) clock.Moment {
			if often++; now != last {
				last, often = now, 0
			}
			switch {
			case often > 100:
				t.Error("the clock spins")
				d.k.Finish() // otherwise the bubble's time stands still for ever
				return 0
			case now > int64(2*quiet):
				return 0
			}
			return now // overdue: it is called each time the clock looks
		}
		d.k.Arm(h, 1)
		time.Sleep(4 * quiet)
		synctest.Wait()
		if d.k.Alive() {
			t.Error("nothing is left, and the clock still runs")
		}
	})
}

// A deadline alone also starts a clock that has run before and ended.
func TestArmAloneAfterTheEnd(t *testing.T) {
	running(t, func(d *diary) {
		d.k.Now()
		time.Sleep(quiet)
		synctest.Wait()
		if d.k.Alive() {
			t.Fatal("the clock has not ended")
		}
		h := d.holder("h")
		last, often := clock.Moment(0), 0
		h.next = func(now clock.Moment) clock.Moment {
			if often++; now != last {
				last, often = now, 0
			}
			if often > 100 {
				t.Error("the clock spins")
				d.k.Finish()
				return 0
			}
			if now > int64(3*quiet) {
				return 0
			}
			return now
		}
		d.k.Arm(h, d.k.At(time.Now()))
		time.Sleep(4 * quiet)
	})
}

// A clock that is no longer used ends its goroutine without Finish; otherwise the bubble would not end.
func TestEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := clock.New()
		k.Now()
		k.AtTick(call(func() {}))
		time.Sleep(quiet)
	})
}

// After a deadline has started a clock that had ended, a time that is read before its first tick is not that of the end.
func TestNowAfterArmAlone(t *testing.T) {
	running(t, func(d *diary) {
		d.k.Now()
		time.Sleep(time.Hour)
		synctest.Wait()
		d.k.Arm(d.holder("h"), d.k.At(time.Now().Add(time.Second)))
		d.wantNow("the goroutine waits for its first tick")
		d.wantNow("asked again")
	})
}

// A clock that is not used ends its goroutine at once, whatever it was doing, and goes on when it is used again.
func TestRest(t *testing.T) {
	for name, before := range map[string]func(d *diary){
		"ticking": func(d *diary) {},
		"asleep": func(d *diary) {
			h := d.holder("h")
			d.k.Arm(h, d.k.Now()+int64(time.Hour))
			time.Sleep(quiet)
			d.k.Disarm(h)
		},
	} {
		for range 20 { // the goroutine may learn in either order that the deadline is gone and that it must rest
			running(t, func(d *diary) {
				for range 3 {
					d.k.Now()
					before(d)
					d.k.StopIfIdle()
					synctest.Wait()
					if d.k.Alive() {
						t.Errorf("%s: the clock still runs", name)
					}
					d.wantNow("asked again")
				}
			})
		}
	}
}

// A deadline that is set, and alarms that are late, are still called after a rest.
func TestRestKeepsWhatIsLeft(t *testing.T) {
	running(t, func(d *diary) {
		told := make(chan bool, 1)
		d.k.AtTick(call(func() { told <- true }))
		d.k.StopIfIdle()
		<-told
		d.k.Arm(d.holder("h"), int64(time.Minute))
		d.k.StopIfIdle()
		time.Sleep(time.Minute)
		synctest.Wait()
		d.want("after a minute", "h 1m0s")
	})
}
