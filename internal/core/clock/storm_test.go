package clock_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// wisher has a deadline that other goroutines set: it returns the next one when the clock asks, as a connection does.
type wisher struct {
	place clock.Deadline
	by    atomic.Int64 // 0: none
	came  atomic.Int64 // how often by has expired
}

func (w *wisher) Deadline() *clock.Deadline { return &w.place }

func (w *wisher) Expired(now clock.Moment) clock.Moment {
	by := w.by.Load()
	if clock.Passed(by, now) && w.by.CompareAndSwap(by, 0) {
		w.came.Add(1)
		return 0
	}
	return by
}

// wish sets a deadline if there is none, and arms the clock.
func (w *wisher) wish(k *clock.Clock, at clock.Moment) bool {
	if !w.by.CompareAndSwap(0, at) {
		return false
	}
	k.Arm(w, at)
	return true
}

// storm has several goroutines set the deadlines of a few holders, while forward moves the time, and checks that every
// deadline has expired: none is lost between being set, expiring and the question for the next one.
func storm(t *testing.T, k *clock.Clock, forward func(r *rand.Rand), settle func()) {
	var wishers [6]wisher
	var set atomic.Int64
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(g, 7))
			for range 300 {
				w := &wishers[r.IntN(len(wishers))]
				if w.wish(k, k.Now()+r.Int64N(4*int64(tick))) {
					set.Add(1)
				}
				forward(r)
			}
		})
	}
	wg.Wait()
	settle()
	var came int64
	for i := range wishers {
		if by := wishers[i].by.Load(); by != 0 {
			t.Errorf("the deadline of holder %d at %d has been lost; it is %d", i, by, k.Now())
		}
		came += wishers[i].came.Load()
	}
	if came != set.Load() {
		t.Errorf("%d deadlines were set, %d came", set.Load(), came)
	}
	if n := k.Armed(); n != 0 {
		t.Errorf("%d holders are left in the heap", n)
	}
}

// No deadline is lost while many goroutines set deadlines, on a manual clock and on a running one.
func TestStormOfArm(t *testing.T) {
	t.Run("manual", func(t *testing.T) {
		k := clock.NewManual()
		var mu sync.Mutex // only one goroutine at a time may call Advance
		storm(t, k, func(r *rand.Rand) {
			if mu.TryLock() {
				k.Advance(tick)
				mu.Unlock()
			}
		}, func() { k.Advance(time.Second) })
	})
	t.Run("running", func(t *testing.T) {
		running(t, func(d *diary) {
			storm(t, d.k, func(r *rand.Rand) {
				time.Sleep(time.Duration(r.Int64N(int64(2 * tick))))
				if r.IntN(50) == 0 {
					time.Sleep(quiet) // the clock rests meanwhile
				}
			}, func() {
				time.Sleep(2 * quiet)
				synctest.Wait()
			})
		})
	})
}

// Arm and Disarm of the same holders from many goroutines leave the heap in order, and in the end the last Arm counts.
func TestStormOfDisarm(t *testing.T) {
	d := manual(t)
	holders := make([]*holder, 8)
	for i := range holders {
		holders[i] = d.holder(string(rune('a' + i)))
	}
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(g, 3))
			for range 500 {
				h := holders[r.IntN(len(holders))]
				if r.IntN(3) == 0 {
					d.k.Disarm(h)
				} else {
					d.k.Arm(h, in(time.Duration(1+r.IntN(1000))*time.Millisecond))
				}
			}
		})
	}
	wg.Go(func() {
		for range 100 {
			d.k.Advance(tick)
		}
	})
	wg.Wait()
	for _, h := range holders {
		d.k.Disarm(h)
	}
	if n := d.k.Armed(); n != 0 {
		t.Errorf("%d holders are left after all were disarmed", n)
	}
	d.seen = len(d.told)
	for i, h := range holders {
		d.k.Arm(h, d.k.Now()+int64(tick)*int64(len(holders)-i))
	}
	d.k.Advance(time.Second)
	want := ""
	for _, line := range d.told[d.seen:] {
		want += line[:1]
	}
	if want != "hgfedcba" {
		t.Errorf("called in the order %s", want)
	}
}

// Each AtTick is called once, from many goroutines, while the clock falls asleep and wakes.
func TestStormOfAtTick(t *testing.T) {
	running(t, func(d *diary) {
		var called, asked atomic.Int64
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(g, 5))
				for range 100 {
					asked.Add(1)
					d.k.AtTick(call(func() { called.Add(1) }))
					time.Sleep(time.Duration(r.Int64N(int64(30 * tick))))
				}
			})
		}
		wg.Wait()
		time.Sleep(tick)
		synctest.Wait()
		if called.Load() != asked.Load() {
			t.Errorf("%d functions, %d calls", asked.Load(), called.Load())
		}
	})
}

// Finish ends a clock that many goroutines use: it does not start again, and the time can still be read.
func TestStormOfFinish(t *testing.T) {
	for seed := range uint64(5) {
		running(t, func(d *diary) {
			var wg sync.WaitGroup
			for g := range uint64(4) {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(seed, g))
					h := d.holder("h")
					for i := range 60 {
						if g == 0 && i == 30 {
							d.k.Finish()
						}
						d.k.Arm(h, d.k.Now()+r.Int64N(2*int64(tick)))
						d.k.AtTick(call(func() {}))
						d.k.Disarm(h)
						d.k.Alive()
						time.Sleep(time.Duration(r.Int64N(int64(tick))))
					}
				})
			}
			wg.Wait()
			synctest.Wait()
			if d.k.Alive() {
				d.Error("the clock still runs")
			}
			d.wantNow("after the end")
		})
	}
}
