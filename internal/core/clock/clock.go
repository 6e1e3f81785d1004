// Package clock provides a coarse time, and deadlines for very many connections.
//
// Reading the time costs an atomic load. Setting a deadline usually costs its holder one atomic store: the clock's heap
// only needs to know deadlines that are earlier than the one it has. When that one comes, it asks the holder for the
// next.
package clock

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// nearFuture is more than the time can be late. A deadline that seems to be further ahead has not passed.
const nearFuture = time.Second

// After this many ticks in which the time was not read, a clock sleeps until the next deadline.
const maxIdleTicks = 20

// Clock is a coarse clock with deadlines. Its goroutine ticks while the time is being read, sleeps while there are only
// deadlines to wait for, and ends when there is nothing to do, or after StopIfIdle or Finish. All methods may be called
// concurrently.
type Clock struct {
	timeline
	mode      atomic.Int32
	stop      chan struct{} // closed by Finish
	stopIdle  chan struct{} // sent to by StopIfIdle
	idleTicks int           // ticks since the time was last read; the goroutine's

	mu     sync.Mutex
	due    dueHeap
	atTick []Ticked // told at the next tick
	wake   chan struct{}
	alive  bool // the goroutine runs
}

// The values of Clock.mode.
const (
	asked   int32 = iota // the time has been read since the last tick
	unasked              // it has not
	asleep               // the goroutine sleeps until the next deadline, or does not run; now is stale
	ended                // Finish has been called; there is no goroutine, and now is stale
)

// New returns a clock that runs by itself.
func New() *Clock {
	k := &Clock{wake: make(chan struct{}, 1), stop: make(chan struct{}), stopIdle: make(chan struct{}, 1)}
	k.base = time.Now()
	k.nextTick.Store(noTick)
	k.set(k.base)
	k.mode.Store(asleep)
	return k
}

// NewManual returns a clock that only Advance moves, for tests. It has no goroutine.
func NewManual() *Clock {
	k := New()
	k.manual = true
	k.mode.Store(asked)
	return k
}

// Advance moves a manual clock by d, tick by tick, and reports the deadlines on the way.
func (k *Clock) Advance(d time.Duration) {
	for end := k.now.Load() + int64(d); k.now.Load() < end; {
		k.set(k.base.Add(time.Duration(min(k.now.Load()+int64(Tick), end) + k.lost.Load())))
		k.expire()
	}
}

// Now returns the time, at most a tick old.
func (k *Clock) Now() Moment {
	if k.mode.Load() != asked {
		k.ask()
	}
	return k.now.Load()
}

// Exact returns the time itself, for what is measured or told: a round trip, or whether a deadline lies in the past. It
// costs a look at the system's clock.
func (k *Clock) Exact() Moment {
	if !k.manual {
		k.set(time.Now())
	}
	return k.now.Load()
}

// Wall returns the time of day, at most a tick old. It has no monotonic reading and jumps when the time of day is set, so it is
// for what is told to others, and not for deadlines.
func (k *Clock) Wall() time.Time {
	now := k.Now()
	return time.Unix(0, now+k.wall.Load())
}

// At converts t to a Moment. It returns 0 (none) for the zero time. If t is not in the future, the Moment has come, too. For
// times without a monotonic reading see Due.
func (k *Clock) At(t time.Time) Moment {
	at := k.Moment(k.Due(t))
	if ahead := at - k.now.Load(); ahead > 0 && ahead < int64(nearFuture) {
		k.Exact() // or a deadline of now would come at the next tick only
	}
	return at
}

func (k *Clock) ask() {
	for {
		mode := k.mode.Load()
		if mode >= asleep {
			k.set(time.Now()) // before the mode changes: a goroutine that finds the mode asked trusts now
		}
		if mode == ended {
			return
		}
		if k.mode.CompareAndSwap(mode, asked) {
			if mode == asleep {
				k.mu.Lock()
				k.wakeLoopLocked()
				k.mu.Unlock()
			}
			return
		}
	}
}

// StopIfIdle ends the goroutine now instead of after a while, unless a deadline is left: no caller needs the time. The
// next reader of the time starts a new goroutine.
func (k *Clock) StopIfIdle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.alive || len(k.due) > 0 || len(k.atTick) > 0 {
		return
	}
	select {
	case <-k.wake: // for a deadline that no longer exists
	default:
	}
	select {
	case k.stopIdle <- struct{}{}:
	default:
	}
}

// Finish ends the goroutine. No deadline and no tick is reported any more. The time can still be read.
func (k *Clock) Finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.manual && k.mode.Swap(ended) != ended {
		close(k.stop)
		k.atTick = nil
	}
}

// Ticked waits for a tick. The clock calls Tick on the clock's goroutine, so it must not block.
type Ticked interface{ Tick() }

// AtTick calls t.Tick at the next tick.
func (k *Clock) AtTick(t Ticked) {
	k.mu.Lock()
	if k.mode.Load() != ended {
		k.atTick = append(k.atTick, t)
	}
	k.mu.Unlock()
	if !k.manual {
		k.ask()
	}
}

// expire calls what waits for the tick and the holders whose deadline has come. It returns the next deadline.
func (k *Clock) expire() (next Moment) {
	now := k.now.Load()
	k.mu.Lock()
	ticked := k.atTick
	k.atTick = nil
	var come []Holder
	late := k.hasLost.Swap(false)
	for len(k.due) > 0 && (late || k.due[0].at <= now) {
		come = append(come, heap.Pop(&k.due).(Holder))
	}
	k.mu.Unlock()
	for _, t := range ticked {
		t.Tick()
	}
	for _, h := range come {
		// The heap has forgotten h. A deadline that is set meanwhile is either seen by Expired or passed to Arm.
		if l, ok := h.(Loser); ok && late {
			l.TimeLost()
		}
		k.Arm(h, h.Expired(now))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.due) > 0 {
		next = k.due[0].at
	}
	return next
}

// Lose makes a manual clock lose d, and tells the holders, as if the process had not run meanwhile.
func (k *Clock) Lose(d time.Duration) {
	k.lost.Add(int64(d))
	k.hasLost.Store(true)
	k.expire()
}
