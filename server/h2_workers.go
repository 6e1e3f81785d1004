package server

import (
	"context"
	"sync"
	"time"
)

// workers are goroutines that answer requests of HTTP/2. They are used again: their stacks are as deep as handlers need
// them. Who has nothing to do waits for the next connection, as long as there are connections at all.
type workers struct {
	mu    sync.Mutex
	idle  []idleWorker  // the one that came last is taken first
	busy  int           // how many work
	none  chan struct{} // closed when nobody does; wait makes it
	conns int           // connections of HTTP/2
}

// idleWorker is a worker that waits to be called.
type idleWorker struct {
	calls chan *h2Conn
	since int64 // by the connection's clock
}

const (
	mostIdle    = 512             // workers that may wait
	longestIdle = 5 * time.Second // while others are used
)

// join says that there is a connection more.
func (w *workers) join() {
	w.mu.Lock()
	w.conns++
	w.mu.Unlock()
}

// leave says that a connection is over. Behind the last one nobody waits any more.
func (w *workers) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns--; w.conns > 0 {
		return
	}
	for _, one := range w.idle {
		close(one.calls)
	}
	w.idle = nil
}

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
	w.idle[n-1] = idleWorker{}
	w.idle = w.idle[:n-1]
	w.mu.Unlock()
	next.calls <- k
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
		if !w.rest(calls, k.Now()) {
			break
		}
	}
	returned = true
}

// rest has a worker wait, and reports whether it is to. The one that has waited longest is let go when that was for long.
func (w *workers) rest(calls chan *h2Conn, now int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rested()
	if w.conns == 0 || len(w.idle) >= mostIdle {
		return false
	}
	if len(w.idle) > 0 && now-w.idle[0].since > int64(longestIdle) {
		close(w.idle[0].calls)
		copy(w.idle, w.idle[1:])
		w.idle = w.idle[:len(w.idle)-1]
	}
	w.idle = append(w.idle, idleWorker{calls, now})
	return true
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
