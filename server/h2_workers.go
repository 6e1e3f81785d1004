package server

import (
	"context"
	"sync"
	"time"
)

// workers are goroutines that answer requests of HTTP/2. They are used again: their stacks are as deep as handlers need
// them. Who has nothing to do waits for the next connection, as long as there are connections at all.
type workers struct {
	mu      sync.Mutex
	idle    []idleWorker  // the one that came last is taken first
	busy    int           // how many work
	allDone chan struct{} // closed when nobody does; wait makes it
	conns   int           // connections of HTTP/2
}

// idleWorker is a worker that waits to be called.
type idleWorker struct {
	conns chan *h2Conn
	since int64 // by the connection's clock
}

const (
	maxIdleWorkers = 512             // workers that may wait
	maxIdleTime    = 5 * time.Second // while others are used
)

// join says that there is a connection more.
func (w *workers) addConn() {
	w.mu.Lock()
	w.conns++
	w.mu.Unlock()
}

// leave says that a connection is over. Behind the last one nobody waits any more.
func (w *workers) removeConn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns--; w.conns > 0 {
		return
	}
	for _, one := range w.idle {
		close(one.conns)
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
	next.conns <- k
}

// run is a worker's life.
func (w *workers) run(k *h2Conn) {
	returned := false
	defer func() {
		if !returned { // a handler has called runtime.Goexit
			w.mu.Lock()
			w.finished()
			w.mu.Unlock()
		}
	}()
	calls := make(chan *h2Conn, 1)
	for ok := true; ok; k, ok = <-calls {
		k.work()
		if !w.waitForWork(calls, k.Now()) {
			break
		}
	}
	returned = true
}

// rest has a worker wait, and reports whether it is to. The one that has waited longest is let go when that was for long.
func (w *workers) waitForWork(calls chan *h2Conn, now int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished()
	if w.conns == 0 || len(w.idle) >= maxIdleWorkers {
		return false
	}
	if len(w.idle) > 0 && now-w.idle[0].since > int64(maxIdleTime) {
		close(w.idle[0].conns)
		copy(w.idle, w.idle[1:])
		w.idle = w.idle[:len(w.idle)-1]
	}
	w.idle = append(w.idle, idleWorker{calls, now})
	return true
}

// rested is called when a worker has done what it was woken for. w.mu is held.
func (w *workers) finished() {
	if w.busy--; w.busy == 0 && w.allDone != nil {
		close(w.allDone)
		w.allDone = nil
	}
}

// wait waits until nobody works, or until ctx ends, and returns ctx's error then: a handler may outlive its connection.
func (w *workers) wait(ctx context.Context) error {
	w.mu.Lock()
	if w.busy == 0 {
		w.mu.Unlock()
		return nil
	}
	if w.allDone == nil {
		w.allDone = make(chan struct{})
	}
	none := w.allDone
	w.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
