package server

import (
	"context"
	"sync"
)

// workers are goroutines that answer requests of HTTP/2. They are used again: their stacks are as deep as handlers need
// them. Who has nothing to do waits for the next connection.
type workers struct {
	mu   sync.Mutex
	idle []chan *h2Conn // the one that came last is taken first
	busy int            // how many work
	none chan struct{}  // closed when nobody does; wait makes it
	over bool           // nobody is to wait any more
}

// mostIdle is how many workers may wait.
const mostIdle = 512

// wake has a worker work for k.
func (w *workers) wake(k *h2Conn) {
	w.mu.Lock()
	w.busy++
	n := len(w.idle)
	if n == 0 {
		w.mu.Unlock()
		go w.run(k)
		return
	}
	next := w.idle[n-1]
	w.idle[n-1] = nil
	w.idle = w.idle[:n-1]
	w.mu.Unlock()
	next <- k
}

// run is a worker's life.
func (w *workers) run(k *h2Conn) {
	returned := false
	defer func() {
		if !returned { // a handler has called runtime.Goexit
			w.mu.Lock()
			w.rested()
			w.mu.Unlock()
		}
	}()
	calls := make(chan *h2Conn, 1)
	for ok := true; ok; k, ok = <-calls {
		k.work()
		k = nil
		w.mu.Lock()
		w.rested()
		if w.over || len(w.idle) >= mostIdle {
			w.mu.Unlock()
			break
		}
		w.idle = append(w.idle, calls)
		w.mu.Unlock()
	}
	returned = true
}

// rested is called when a worker has done what it was woken for. w.mu is held.
func (w *workers) rested() {
	if w.busy--; w.busy == 0 && w.none != nil {
		close(w.none)
		w.none = nil
	}
}

// wait waits until nobody works, or until ctx ends, and returns ctx's error then: a handler may outlive its connection.
func (w *workers) wait(ctx context.Context) error {
	w.mu.Lock()
	if w.busy == 0 {
		w.mu.Unlock()
		return nil
	}
	if w.none == nil {
		w.none = make(chan struct{})
	}
	none := w.none
	w.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends the workers that wait, and has those that work end when they are done.
func (w *workers) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, calls := range w.idle {
		close(calls)
	}
	w.idle = nil
}
