package jsontalk

import (
	"context"
	"sync"
)

// MostWaiting is how many bytes of payload may wait before Room blocks.
const MostWaiting = 16 << 20

// Waiting holds the sends that have to wait, and the commands behind them. Commands for the same key (a peer or
// channel) are carried out in order; those for different keys do not wait for each other. All methods may be called
// concurrently.
type Waiting[K comparable] struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced when a task is done
	lanes   map[K]*lane
	bytes   int64
	sends   int
}

// lane holds the tasks of one key.
type lane struct {
	tasks []task
}

// task is a waiting command.
type task struct {
	bytes int64
	send  bool
	do    func()
}

// NewWaiting returns an empty Waiting.
func NewWaiting[K comparable]() *Waiting[K] {
	return &Waiting[K]{changed: make(chan struct{}), lanes: map[K]*lane{}}
}

// Busy reports whether tasks wait for k.
func (w *Waiting[K]) Busy(k K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lanes[k] != nil
}

// Send queues do behind the tasks that wait for k. do sends a message of the given number of bytes and may block.
func (w *Waiting[K]) Send(k K, bytes int, do func()) { w.add(k, task{int64(bytes), true, do}) }

// Then calls do after the tasks that wait for k. If there are none it calls do before it returns.
func (w *Waiting[K]) Then(k K, do func()) {
	if !w.Busy(k) { // no task can be added meanwhile: one goroutine gives the commands
		do()
		return
	}
	w.add(k, task{do: do})
}

func (w *Waiting[K]) add(k K, t task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes += t.bytes
	if t.send {
		w.sends++
	}
	l := w.lanes[k]
	if l != nil {
		l.tasks = append(l.tasks, t)
		return
	}
	l = &lane{tasks: []task{t}}
	w.lanes[k] = l
	go w.run(k, l)
}

// run carries out the tasks of k.
func (w *Waiting[K]) run(k K, l *lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(l.tasks) > 0 {
		t := l.tasks[0]
		w.mu.Unlock()
		t.do()
		w.mu.Lock()
		l.tasks[0] = task{}
		l.tasks = l.tasks[1:]
		w.bytes -= t.bytes
		if t.send {
			w.sends--
		}
		if len(l.tasks) == 0 {
			delete(w.lanes, k)
		}
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

// Room waits until at most MostWaiting bytes are waiting, or ctx is done.
func (w *Waiting[K]) Room(ctx context.Context) {
	w.until(ctx, func() bool { return w.bytes <= MostWaiting })
}

// Done waits until no tasks are left, or ctx is done.
func (w *Waiting[K]) Done(ctx context.Context) {
	w.until(ctx, func() bool { return len(w.lanes) == 0 })
}

// until waits until holds returns true or ctx is done. It calls holds with w.mu held.
func (w *Waiting[K]) until(ctx context.Context, holds func() bool) {
	for {
		w.mu.Lock()
		ok, changed := holds(), w.changed
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Sends returns how many messages are waiting.
func (w *Waiting[K]) Sends() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sends
}
