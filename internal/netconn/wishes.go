package netconn

import (
	"slices"
	"sync"
	"sync/atomic"
)

// wishes are what few connections have.
type wishes struct {
	readBy, writeBy atomic.Int64 // SetReadDeadline, SetWriteDeadline
	writeTimeout    atomic.Int64 // SetWriteTimeout; 0: Config's
	told            atomic.Pointer[chan struct{}]
	given           atomic.Pointer[hijackedConn] // what Hijack gave out inside the latch

	lookout lookout

	mu   sync.Mutex
	gone []*func() // OnGone
	over bool      // the peer has gone
}

// wish returns l's wishes.
func (l *Link) wish() *wishes {
	for {
		if w := l.wishes.Load(); w != nil {
			return w
		}
		l.wishes.CompareAndSwap(nil, new(wishes))
	}
}

// listen returns a channel that tell sends to.
func (w *wishes) listen() <-chan struct{} {
	c := make(chan struct{}, 1)
	w.told.Store(&c)
	return c
}

// tell wakes who listens.
func (w *wishes) tell() {
	if c := w.told.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default:
		}
	}
}

// add keeps f until grant or drop. If the peer has gone already it calls it.
func (w *wishes) add(f *func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		go (*f)()
		return
	}
	w.gone = append(w.gone, f)
}

// grant calls all that are kept. w may be nil.
func (w *wishes) grant() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, f := range w.gone {
		go (*f)()
	}
	w.gone = nil
}

// drop forgets f; it reports whether that came in time.
func (w *wishes) drop(f *func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.gone, f)
	if i < 0 {
		return false
	}
	w.gone = slices.Delete(w.gone, i, i+1)
	return true
}

// forget forgets all of them. w may be nil.
func (w *wishes) forget() {
	if w != nil {
		w.mu.Lock()
		w.gone = nil
		w.mu.Unlock()
	}
}

// any reports whether there is one.
func (w *wishes) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.gone) > 0
}
