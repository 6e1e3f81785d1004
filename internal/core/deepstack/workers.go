package deepstack

import (
	"runtime"
	"sync"
	"time"
)

const (
	// workerWait is how long a worker waits for another task before it ends.
	workerWait = time.Second
	// workerStack is how much of its stack a worker keeps in use. It is more than a quarter of the 32 KiB that a TLS handshake
	// needs: the garbage collector halves stacks that use less than a quarter.
	workerStack = 9 << 10
)

// Task is done by a worker. The worker keeps no Task that it has done.
type Task interface{ Do() }

// Workers run tasks that need deep stacks, such as TLS handshakes, on reused goroutines, which keep their grown stacks. Growing
// a stack for each connection, and shrinking it again in the garbage collector, took 3 % of the instructions of a handshake.
// All methods but Init may be called concurrently.
type Workers struct {
	next chan Task // unbuffered: received by an idle worker

	mu   sync.Mutex
	stop chan struct{} // closed and replaced by StopIdle; guarded by mu
}

// Init prepares w. It must be called first.
func (w *Workers) Init() { w.next, w.stop = make(chan Task), make(chan struct{}) }

// Do has t done by a worker, and does not wait.
func (w *Workers) Do(t Task) {
	select {
	case w.next <- t:
	default:
		w.mu.Lock()
		over := w.stop
		w.mu.Unlock()
		go w.run(t, over)
	}
}

// run does t and then other tasks, until none comes for workerWait.
func (w *Workers) run(t Task, over <-chan struct{}) {
	var deep [workerStack]byte
	defer runtime.KeepAlive(&deep)
	timer := time.NewTimer(workerWait)
	defer timer.Stop()
	for {
		t.Do()
		t = nil // an idle worker must not keep the last task alive
		timer.Reset(workerWait)
		select {
		case t = <-w.next:
		case <-timer.C:
			return
		case <-over:
			return
		}
	}
}

// StopIdle ends idle workers, and busy ones after their task: no more tasks are expected.
func (w *Workers) StopIdle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.stop)
	w.stop = make(chan struct{})
}
