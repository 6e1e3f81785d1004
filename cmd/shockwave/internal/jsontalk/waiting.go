package jsontalk

import (
	"context"
	"sync"
)

// MostWaiting is how many bytes of payload may wait before no further commands are read.
const MostWaiting = 16 << 20

// Waiting are the sends that have to wait, and the commands that stand behind them: those for one peer or channel are
// carried out one after the other, and others do not wait for them. All methods may be called concurrently.
type Waiting[K comparable] struct {
	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, when something is done
	lanes   map[K]*lane
	bytes   int64
	sends   int
}

// lane is what waits for one peer or channel.
type lane struct {
	tasks []task
}

// task is a command that waits.
type task struct {
	bytes int64
	send  bool
	do    func()
}

// NewWaiting returns a Waiting in which nothing waits.
func NewWaiting[K comparable]() *Waiting[K] {
	return &Waiting[K]{changed: make(chan struct{}), lanes: map[K]*lane{}}
}

// Busy reports whether something waits for k.
func (w *Waiting[K]) Busy(k K) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lanes[k] != nil
}

// Send has do, which sends a message of so many bytes and may wait, called behind what waits for k already.
func (w *Waiting[K]) Send(k K, bytes int, do func()) { w.add(k, task{int64(bytes), true, do}) }

// Then has do called behind what waits for k: at once if that is nothing.
func (w *Waiting[K]) Then(k K, do func()) {
	if !w.Busy(k) { // who gives commands is one
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

// run does what waits for k.
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

// Room waits until no more than MostWaiting bytes wait.
func (w *Waiting[K]) Room(ctx context.Context) {
	w.until(ctx, func() bool { return w.bytes <= MostWaiting })
}

// Done waits until nothing waits any more, or ctx ends.
func (w *Waiting[K]) Done(ctx context.Context) {
	w.until(ctx, func() bool { return len(w.lanes) == 0 })
}

// until waits until holds, which is called with w.mu held, is true.
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

// Sends returns how many messages wait.
func (w *Waiting[K]) Sends() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sends
}
