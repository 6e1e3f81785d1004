package clock

import (
	"sync"
	"sync/atomic"
	"time"
)

// Time is lost when the process did not run: it was stopped by a signal, its container was paused, the machine slept. What
// the peers have sent meanwhile has not been read, and what was due was not sent, so nobody is to be blamed for that time:
// the clock stands still over it. All time-outs follow, because they are moments of the clock. A time that a user has set
// stays where it is: see Due.
//
// The clock notices that it lost time when it is late for its own tick, whoever looks at the time first. While it sleeps
// until a distant deadline it looks now and then, or a stop that ends before the deadline would not be noticed.

// Tick is the resolution of deadlines, and the maximum age of Now.
const Tick = 5 * time.Millisecond

// Moment is a time in nanoseconds since the clock was created. It is never 0; as a deadline, 0 means none.
type Moment = int64

const (
	// lateAfter is how late a tick must be for time to be lost. A busy machine may be late by some ticks.
	lateAfter = 100 * time.Millisecond
	// recovery is how long the clock stands still after the loss, so that what has arrived meanwhile is read first.
	recovery = 100 * time.Millisecond
	// lossEvery is the least time between two losses, or a machine that is always late would know no time at all.
	lossEvery = 500 * time.Millisecond
)

// Bounds of a nap: how long the clock sleeps at a time.
const (
	shortestNap = 4 * Tick
	longestNap  = time.Second
)

// noTick is the next tick of a clock that waits for none.
const noTick = 1<<63 - 1 - int64(lateAfter)

// timeline is the time of a clock. All methods may be called concurrently.
type timeline struct {
	base     time.Time
	manual   bool         // only Advance changes the time
	now      atomic.Int64 // the Moment of the last tick; never decreases
	wall     atomic.Int64 // added to now it gives Unix nanoseconds
	real     atomic.Int64 // when the time was last set, without what was lost
	lost     atomic.Int64 // how much time was lost
	nextTick atomic.Int64 // when the goroutine sets the time next, at the latest
	hasLost  atomic.Bool  // the holders are to be told that time was lost

	lossMu sync.Mutex
	lossAt int64 // when time was lost last; guarded by lossMu
}

// set sets the time to t, unless another goroutine has set a later time.
func (k *timeline) set(t time.Time) {
	real := k.sinceBase(t)
	if real > k.nextTick.Load()+int64(lateAfter) {
		k.noteLoss(real)
	}
	k.real.Store(real)
	at := max(real-k.lost.Load(), 1)
	k.wall.Store(t.UnixNano() - at)
	for now := k.now.Load(); now < at && !k.now.CompareAndSwap(now, at); now = k.now.Load() {
	}
}

// sinceBase returns t in nanoseconds since the clock was created.
func (k *timeline) sinceBase(t time.Time) int64 { return int64(t.Sub(k.base)) }

// expect notes that the next tick is due d after the time was last set.
func (k *timeline) expect(d time.Duration) { k.nextTick.Store(k.real.Load() + int64(d)) }

// expectFromNow notes that the next tick is due in d, after a while in which none was.
func (k *timeline) expectFromNow(d time.Duration) {
	k.nextTick.Store(k.sinceBase(time.Now()) + int64(d))
}

// noteLoss is called when the tick is late at real. What has passed since the time was last set is lost.
func (k *timeline) noteLoss(real int64) {
	k.lossMu.Lock()
	defer k.lossMu.Unlock()
	if real <= k.nextTick.Load()+int64(lateAfter) {
		return // another goroutine has noted it
	}
	k.nextTick.Store(real + int64(Tick))
	if k.lossAt != 0 && real-k.lossAt < int64(lossEvery) {
		return
	}
	k.lossAt = real
	k.lost.Add(real - k.real.Load() + int64(recovery))
	k.hasLost.Store(true)
}

// Due is a deadline as its holder keeps it: a time that a user has set, or a limit for the peer, which moves when time is
// lost. 0 is none.
type Due int64

// Due returns t as a user's deadline. A time without a monotonic reading is as far away as it is from the time of day now,
// whatever that was set to since the clock was created; a clock that stands still keeps its own.
func (k *timeline) Due(t time.Time) Due {
	if t.IsZero() {
		return 0
	}
	d := t.Sub(k.base)
	if t == t.Round(0) && !k.manual {
		now := time.Now()
		passed := now.Sub(k.base)
		d = passed + min(t.Sub(now), 1<<63-1-passed)
	}
	return Due(max(d, 1))
}

// Limit returns the moment at, 0 for none, as a limit for the peer.
func Limit(at Moment) Due { return Due(-at) }

// Moment returns when d comes, as far as is known: a user's deadline comes earlier on this clock when time is lost.
func (k *timeline) Moment(d Due) Moment {
	if d <= 0 {
		return Moment(-d)
	}
	return max(int64(d)-k.lost.Load(), 1)
}
