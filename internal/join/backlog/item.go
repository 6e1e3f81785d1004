package backlog

import (
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Item is one item in line: a message, the last frame of a connection, or a turn.
type Item struct {
	Frame  []byte          // from the pool
	Shared *bufpool.Shared // instead of Frame: with a reference that belongs to the Item
	Key    string          // for LatestPerKey; messages without one are not replaced
	Weight *Weight         // of a message that waits in several lines; nil for any other

	kind kind
	turn chan struct{} // of a turn: closed when it has come
}

// kind is what an Item is.
type kind uint8

const (
	message kind = iota
	last         // nothing is sent after it
	turn         // a goroutine that writes by itself once what is before it has left
)

// Last reports whether nothing is to be sent after the Item.
func (p *Item) Last() bool { return p.kind == last }

// Size returns the length of the frame.
func (p *Item) Size() int {
	if p.Shared != nil {
		return len(p.Shared.Bytes())
	}
	return len(p.Frame)
}

// Release gives back the frame of an Item that is in no line.
func (p *Item) Release() {
	if p.Shared != nil {
		p.Shared.Release()
	} else {
		bufpool.Put(p.Frame)
	}
}

// shrink moves the frame to a slice of its size if its buffer from the pool is much larger: it may wait for a long time.
func (p *Item) shrink() {
	if cap(p.Frame) > 1<<10 && cap(p.Frame) > 2*len(p.Frame) {
		exact := append(make([]byte, 0, len(p.Frame)), p.Frame...)
		pooled := p.Frame
		p.Frame = exact
		bufpool.Put(pooled)
	}
}

// fits reports whether memory has room for p.
func (p *Item) fits(memory *budget.Budget) bool {
	return p.Weight != nil && p.Weight.waits(memory) || memory.Room(int64(p.Size()))
}

// charge counts p in memory when it starts to wait.
func (p *Item) charge(memory *budget.Budget) {
	if p.Weight == nil || p.Weight.enter(memory) {
		memory.Charge(int64(p.Size()))
	}
}

// discharge undoes charge when p stops to wait.
func (p *Item) discharge(memory *budget.Budget) {
	if p.Weight == nil || p.Weight.leave(memory) {
		memory.Release(int64(p.Size()))
	}
}

// freedBy returns how many bytes of memory p may use when old is dropped for it. Dropping a message that waits in several
// lines frees no memory while the others have it. It only counts if p is such a message, too: the other lines drop old for
// p as well.
func (p *Item) freedBy(old *Item) int {
	if old.Weight != nil && p.Weight == nil {
		return 0
	}
	return old.Size()
}

// Weight makes a message that waits in several lines count once in each Budget. All methods are safe for concurrent use.
// The zero Weight is ready to use.
type Weight struct {
	mu    sync.Mutex
	lines []weighed
}

// weighed is how many of the lines that count in memory have the message.
type weighed struct {
	memory *budget.Budget
	lines  int
}

// findLocked returns the entry of memory, or nil.
func (w *Weight) findLocked(memory *budget.Budget) *weighed {
	for i := range w.lines {
		if w.lines[i].memory == memory {
			return &w.lines[i]
		}
	}
	return nil
}

// waits reports whether the message counts in memory already.
func (w *Weight) waits(memory *budget.Budget) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.findLocked(memory)
	return e != nil && e.lines > 0
}

// enter notes another line, and reports whether it is the first.
func (w *Weight) enter(memory *budget.Budget) (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.findLocked(memory)
	if e == nil {
		w.lines = append(w.lines, weighed{memory: memory})
		e = &w.lines[len(w.lines)-1]
	}
	e.lines++
	return e.lines == 1
}

// leave notes that the message has left a line, and reports whether it was the last.
func (w *Weight) leave(memory *budget.Budget) (last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.findLocked(memory)
	e.lines--
	return e.lines == 0
}
