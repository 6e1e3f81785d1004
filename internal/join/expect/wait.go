// Package expect lets a goroutine with a request's body wait for 100 Continue (RFC 9110 §10.1.1).
package expect

import "time"

// Wait is one goroutine's wait for a word of the server. The zero Wait is over. The lock of its owner guards it, except in
// For.
type Wait struct{ over chan struct{} }

// Begin begins the wait.
func (w *Wait) Begin() { w.over = make(chan struct{}) }

// EndLocked ends the wait: For returns, also when it is called later.
func (w *Wait) EndLocked() {
	if w.over != nil {
		close(w.over)
		w.over = nil
	}
}

// Over returns what For needs. It is nil if the wait is over.
func (w *Wait) Over() <-chan struct{} { return w.over }

// For waits, without the lock, until over is closed, d has passed, or done is closed. It returns at once if over is nil.
func For(over <-chan struct{}, d time.Duration, done <-chan struct{}) {
	if over == nil {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-over:
	case <-t.C:
	case <-done:
	}
}
