package netconn

import "runtime"

// notePolled notes whether the runtime has polled since a reader of a Pulled began to wait.
func (e *core) notePolled(done bool) {
	if e.pollerNotAsked.Load() == done {
		e.pollerNotAsked.Store(!done)
	}
}

// flood counts consecutive receives that filled the buffer.
type flood int

// yieldIfFlooded counts a receive of n bytes into space bytes. The goroutine of a peer that sends faster than its input
// is handled never waits, and the scheduler lets it run for 10 ms at a time: a few such peers would delay all others by
// a multiple of that.
func (f *flood) yieldIfFlooded(n, space int) {
	if n < space {
		*f = 0
		return
	}
	if *f++; *f%floodYieldEvery == 0 {
		runtime.Gosched()
	}
}

// floodYieldEvery is after how many such receives the goroutine yields.
const floodYieldEvery = 4
