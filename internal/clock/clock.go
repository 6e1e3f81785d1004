// Package clock tells a coarse time and keeps the deadlines of very many connections.
//
// Asking for the time costs an atomic load. A deadline costs its holder one atomic store: the heap is told only of
// deadlines that are earlier than the one it knows, and asks the holder for the next when that has come.
package clock

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// Tick is the resolution of every deadline, and the most that Now is behind.
const Tick = 5 * time.Millisecond

// Once nobody has asked for the time for so many ticks, a clock sleeps until the next deadline.
const maxIdleTicks = 20

// Moment is a time by a clock: nanoseconds since the clock was made, never 0. As a deadline 0 is none.
type Moment = int64

// Clock is a coarse time with deadlines. One goroutine ticks while anybody asks for the time, sleeps while there are only
// deadlines to wait for, and ends when there is nothing to do, or after Rest or Finish. All methods may be called
// concurrently.
type Clock struct {
	base      time.Time
	manual    bool         // only Advance moves the time
	now       atomic.Int64 // a Moment, at the last tick; never goes back
	wall      atomic.Int64 // what makes Unix nanoseconds of now
	mode      atomic.Int32
	stop      chan struct{} // closed by Finish
	stopIdle  chan struct{} // sent to by Rest
	idleTicks int           // ticks since somebody has asked; the goroutine's

	mu     sync.Mutex
	due    dueHeap
	atTick []func() // to be called at the next tick
	wake   chan struct{}
	alive  bool // the goroutine runs
}

// The modes of a clock.
const (
	asked   int32 = iota // somebody has asked since the last tick
	unasked              // nobody has
	asleep               // the goroutine waits for the next deadline, or is not there; now is stale
	ended                // Finish has been called; there is no goroutine, and now is stale
)

// New returns a clock that keeps time by itself.
func New() *Clock {
	k := &Clock{base: time.Now(), wake: make(chan struct{}, 1), stop: make(chan struct{}),
		stopIdle: make(chan struct{}, 1)}
	k.set(k.base)
	k.mode.Store(asleep)
	return k
}

// NewManual returns a clock that stands still until Advance, for tests. It has no goroutine.
func NewManual() *Clock {
	k := New()
	k.manual = true
	k.mode.Store(asked)
	return k
}

// Advance moves a manual clock by d, tick by tick, and tells whoever has waited for a moment on the way.
func (k *Clock) Advance(d time.Duration) {
	for end := k.now.Load() + int64(d); k.now.Load() < end; {
		k.set(k.base.Add(time.Duration(min(k.now.Load()+int64(Tick), end))))
		k.expire()
	}
}

// set brings the time to t, unless somebody who asked the system later was faster.
func (k *Clock) set(t time.Time) {
	at := max(int64(t.Sub(k.base)), 1)
	k.wall.Store(t.UnixNano() - at)
	for now := k.now.Load(); now < at && !k.now.CompareAndSwap(now, at); now = k.now.Load() {
	}
}

// Now returns the time, at most a tick old.
func (k *Clock) Now() Moment {
	if k.mode.Load() != asked {
		k.ask()
	}
	return k.now.Load()
}

// Wall returns the time of day, at most a tick old.
func (k *Clock) Wall() time.Time {
	now := k.Now()
	return time.Unix(0, now+k.wall.Load())
}

// At returns t by the clock, 0 (never) for the zero time.
func (k *Clock) At(t time.Time) Moment {
	if t.IsZero() {
		return 0
	}
	return max(int64(t.Sub(k.base)), 1)
}

func (k *Clock) ask() {
	for {
		mode := k.mode.Load()
		if mode >= asleep {
			k.set(time.Now()) // first: whoever finds the mode asked believes now
		}
		if mode == ended {
			return
		}
		if k.mode.CompareAndSwap(mode, asked) {
			if mode == asleep {
				k.mu.Lock()
				k.wakeLoop()
				k.mu.Unlock()
			}
			return
		}
	}
}

// Rest ends the goroutine now instead of after a while, unless a deadline is left: nobody is there who needs the time.
// Whoever asks for it next starts another.
func (k *Clock) StopIfIdle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.alive || len(k.due) > 0 || len(k.atTick) > 0 {
		return
	}
	select {
	case <-k.wake: // for a deadline that is gone
	default:
	}
	select {
	case k.stopIdle <- struct{}{}:
	default:
	}
}

// Finish ends the goroutine: no deadline will come any more, and no tick. Time is told further.
func (k *Clock) Finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.manual && k.mode.Swap(ended) != ended {
		close(k.stop)
		k.atTick = nil
	}
}

// AtTick has f called at the next tick, on a goroutine of its own.
func (k *Clock) AtTick(f func()) {
	k.mu.Lock()
	if k.mode.Load() != ended {
		k.atTick = append(k.atTick, f)
	}
	k.mu.Unlock()
	if !k.manual {
		k.ask()
	}
}

// expire calls what is late and tells the holders whose deadline has come; it returns the next deadline.
func (k *Clock) expire() (next Moment) {
	now := k.now.Load()
	k.mu.Lock()
	late := k.atTick
	k.atTick = nil
	var come []Holder
	for len(k.due) > 0 && k.due[0].at <= now {
		come = append(come, heap.Pop(&k.due).(Holder))
	}
	k.mu.Unlock()
	for _, f := range late {
		go f()
	}
	for _, h := range come {
		// The heap has forgotten h: a deadline that is set meanwhile is either seen by Expired or comes to Arm itself.
		k.Arm(h, h.Expired(now))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.due) > 0 {
		next = k.due[0].at
	}
	return next
}
