package netconn

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// tick is the resolution of every timeout, and the most that the coarse time is behind.
const tick = 5 * time.Millisecond

// Once nobody has asked for the time for so many ticks, the clock sleeps until the next deadline.
const quietTicks = 20

// clock is an engine's coarse time and its timeouts. One goroutine ticks while anybody asks for the time, sleeps while
// there are only deadlines to wait for, and ends when there is nothing or the engine has ended. A deadline costs its connection one atomic
// store, because the heap is told only of deadlines earlier than what it knows.
type clock struct {
	base time.Time
	now  atomic.Int64 // nanoseconds since base, at the last tick; never goes back
	wall atomic.Int64 // what makes Unix nanoseconds of now
	mode atomic.Int32
	over chan struct{} // closed when the engine has ended

	mu    sync.Mutex
	due   dueHeap // by Conn.due
	late  []*Conn // whose pending output must leave at the next tick
	wake  chan struct{}
	alive bool // the goroutine runs
}

// The modes of a clock.
const (
	asked   int32 = iota // somebody has asked since the last tick
	unasked              // nobody has
	asleep               // the goroutine waits for the next deadline, or is not there; now is stale
	ended                // the engine has no connections and gets none; there is no goroutine, and now is stale
)

func newClock() *clock {
	k := &clock{base: time.Now(), wake: make(chan struct{}, 1), over: make(chan struct{})}
	k.set(k.base)
	k.mode.Store(asleep)
	return k
}

// set brings the time to t, unless somebody who asked the system later was faster.
func (k *clock) set(t time.Time) {
	at := max(int64(t.Sub(k.base)), 1) // time 0 means "no deadline"
	k.wall.Store(t.UnixNano() - at)
	for now := k.now.Load(); now < at && !k.now.CompareAndSwap(now, at); now = k.now.Load() {
	}
}

// time returns the nanoseconds since the clock was made, at most a tick old.
func (k *clock) time() int64 {
	if k.mode.Load() != asked {
		k.ask()
	}
	return k.now.Load()
}

func (k *clock) ask() {
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
				k.rouse()
			}
			return
		}
	}
}

// finish ends the goroutine: the engine has no connections and will have none. Time is told further.
func (k *clock) finish() {
	if k.mode.Swap(ended) != ended {
		close(k.over)
	}
}

// rouse starts the goroutine or wakes it.
func (k *clock) rouse() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rouseLocked()
}

func (k *clock) rouseLocked() {
	if !k.alive {
		k.alive = true
		go k.run()
		return
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *clock) run() {
	timer := time.NewTimer(tick)
	defer timer.Stop()
	k.await(timer, nil) // whoever started us wants something at the next tick, not now
	quiet := 0
	for {
		k.set(time.Now())
		next := k.expire()
		if k.mode.CompareAndSwap(asked, unasked) {
			quiet = 0
		} else {
			quiet++
		}
		switch {
		case quiet < quietTicks && k.mode.Load() != ended:
			timer.Reset(tick)
			k.await(timer, nil)
		case k.mode.CompareAndSwap(unasked, asleep):
			quiet = 0
			if next == 0 && k.end() {
				return
			}
			k.sleep(timer, next)
			k.set(time.Now())
			k.mode.CompareAndSwap(asleep, unasked)
		case k.mode.Load() == ended:
			k.mu.Lock()
			k.alive = false
			k.mu.Unlock()
			return
		}
	}
}

// end reports whether the goroutine may end: there is no deadline, and nobody has come since the clock fell asleep.
func (k *clock) end() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.due) > 0 || len(k.late) > 0 || len(k.wake) > 0 {
		return false
	}
	k.alive = false
	return true
}

// sleep waits for the deadline next (0: none) or a call of rouse.
func (k *clock) sleep(timer *time.Timer, next int64) {
	d := time.Hour
	if next > 0 {
		d = max(time.Duration(next)-time.Since(k.base), 0)
	}
	timer.Reset(d)
	if k.await(timer, k.wake) {
		timer.Reset(tick) // what woke us is for the next tick
		k.await(timer, nil)
	}
}

// await returns when timer fires, wake is sent to, which it reports, or the engine has ended.
func (k *clock) await(timer *time.Timer, wake <-chan struct{}) (woken bool) {
	select {
	case <-timer.C:
	case <-wake:
		return true
	case <-k.over:
	}
	return false
}

// expire flushes what is late and tells the connections whose deadline has come; it returns the next deadline.
func (k *clock) expire() (next int64) {
	now := k.now.Load()
	k.mu.Lock()
	late := k.late
	k.late = nil
	var fired []*Conn
	for len(k.due) > 0 && k.due[0].due.Load() <= now {
		c := k.due[0]
		// First forget, then look: a deadline that is set meanwhile is either seen here or finds due 0 and comes to arm.
		c.due.Store(0)
		if at := c.nextDeadline(now); at > 0 {
			c.due.Store(at)
			heap.Fix(&k.due, 0)
		} else {
			heap.Pop(&k.due)
		}
		fired = append(fired, c)
	}
	if len(k.due) > 0 {
		next = k.due[0].due.Load()
	}
	k.mu.Unlock()
	for _, c := range late {
		go c.flushLate()
	}
	for _, c := range fired {
		c.expired(now)
	}
	return next
}

// arm makes sure that c is looked at no later than at.
func (k *clock) arm(c *Conn, at int64) {
	if due := c.due.Load(); due != 0 && due <= at {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	due := c.due.Load()
	if due != 0 && due <= at {
		return // somebody armed meanwhile
	}
	known := due != 0
	c.due.Store(at)
	if known {
		heap.Fix(&k.due, c.dueIndex)
	} else {
		heap.Push(&k.due, c)
	}
	if k.due[0] == c {
		k.rouseLocked()
	}
}

// disarm forgets c.
func (k *clock) disarm(c *Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.due.Load() == 0 {
		return
	}
	heap.Remove(&k.due, c.dueIndex)
	if len(k.due) == 0 {
		k.rouseLocked() // it sleeps for a deadline that is gone, and may end
	}
}

// flushAtTick has c's pending output sent at the next tick.
func (k *clock) flushAtTick(c *Conn) {
	k.mu.Lock()
	k.late = append(k.late, c)
	k.mu.Unlock()
	k.ask()
}

// dueHeap orders connections by when they are to be looked at.
type dueHeap []*Conn

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Load() < h[j].due.Load() }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].dueIndex, h[j].dueIndex = i, j
}

func (h *dueHeap) Push(x any) {
	c := x.(*Conn)
	c.dueIndex = len(*h)
	*h = append(*h, c)
}

func (h *dueHeap) Pop() any {
	old := *h
	c := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	c.due.Store(0)
	return c
}
