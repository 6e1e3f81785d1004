// Package workers runs the handlers of connections that many requests share, as those of HTTP/2 and HTTP/3.
package workers

import (
	"context"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Pool holds the goroutines that answer the requests of connections that streams share. They are reused, because their
// stacks have already grown to the size that handlers need. An idle worker waits for work of any connection. When the last
// connection ends, idle workers end.
type Pool struct {
	mu      sync.Mutex
	idle    []idleWorker  // the last in is the first out
	busy    int           // number of working goroutines
	allDone chan struct{} // closed when busy becomes 0; made by Wait
	conns   int           // number of connections that may have work
}

// idleWorker is a worker that waits for work.
type idleWorker struct {
	jobs  chan carrier.Job // what to do next; closed to end the worker
	since int64            // start of the wait, by the connection's clock
}

const (
	maxIdleWorkers = 512             // idle workers kept
	maxIdleTime    = 5 * time.Second // after this the longest idle worker ends, when another one becomes idle
)

// AddConn counts a new connection.
func (w *Pool) AddConn() {
	w.mu.Lock()
	w.conns++
	w.mu.Unlock()
}

// RemoveConn counts a connection off. After the last one it ends all idle workers.
func (w *Pool) RemoveConn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns--; w.conns > 0 {
		return
	}
	for _, one := range w.idle {
		close(one.jobs)
	}
	w.idle = nil
}

// Wake makes a worker do j's work: an idle one, or a new goroutine.
func (w *Pool) Wake(j carrier.Job) {
	w.mu.Lock()
	w.busy++
	n := len(w.idle)
	if n == 0 {
		w.mu.Unlock()
		go w.run(j)
		return
	}
	next := w.idle[n-1]
	w.idle[n-1] = idleWorker{}
	w.idle = w.idle[:n-1]
	w.mu.Unlock()
	next.jobs <- j
}

// run is the goroutine of a worker.
func (w *Pool) run(j carrier.Job) {
	returned := false
	defer func() {
		if !returned { // a handler has called runtime.Goexit
			w.mu.Lock()
			w.finishedLocked()
			w.mu.Unlock()
		}
	}()
	jobs := make(chan carrier.Job, 1)
	for ok := true; ok; j, ok = <-jobs {
		j.Work()
		if !w.waitForWork(jobs, j.Now()) {
			break
		}
	}
	returned = true
}

// waitForWork adds a worker to the idle ones. It returns false if the worker must end. It also ends the worker that has
// been idle longest, if that is longer than maxIdleTime.
func (w *Pool) waitForWork(jobs chan carrier.Job, now int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finishedLocked()
	if w.conns == 0 || len(w.idle) >= maxIdleWorkers {
		return false
	}
	if len(w.idle) > 0 && now-w.idle[0].since > int64(maxIdleTime) {
		close(w.idle[0].jobs)
		copy(w.idle, w.idle[1:])
		w.idle = w.idle[:len(w.idle)-1]
	}
	w.idle = append(w.idle, idleWorker{jobs, now})
	return true
}

// finishedLocked counts a worker that has finished its work.
func (w *Pool) finishedLocked() {
	if w.busy--; w.busy == 0 && w.allDone != nil {
		close(w.allDone)
		w.allDone = nil
	}
}

// Leave is called by a handler that goes on with work for which no request waits, and Rejoin when it has returned.
func (w *Pool) Leave() {
	w.mu.Lock()
	w.finishedLocked()
	w.mu.Unlock()
}

// Rejoin counts the worker again.
func (w *Pool) Rejoin() {
	w.mu.Lock()
	w.busy++
	w.mu.Unlock()
}

// Wait waits until no worker is busy, since a handler may outlive its connection. If ctx is done first it returns ctx's
// error.
func (w *Pool) Wait(ctx context.Context) error {
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
