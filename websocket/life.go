package websocket

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// life is how far a connection has come towards its end, and what waits for that. All parts of the connection use it, and
// any goroutine may.
//
//	open ──startClosing──► closing ──┐
//	  └──────────── fail ────────────┴──► markOver ──► wake
type life struct {
	mu      sync.Mutex
	err     error    // why the connection is over, or will be
	waiting *waiters // nil until needed

	announced atomic.Bool  // the response to the handshake has been written, and Group.All may return the connection
	closing   atomic.Int32 // one of notClosed, closedBoth, closedWrite
	end       atomic.Int32 // one of endNone, endWriteFailed, endCutOff
	expired   atomic.Bool  // CloseTimeout has passed
	over      atomic.Bool  // the connection is over: Err and Done say so
	finished  atomic.Bool  // the reader has finished the transport, or is about to
}

// waiters is what waits for the end of a connection. Its life's lock guards it.
type waiters struct {
	done    chan struct{}       // closed when it is over; nil until it is asked for
	timeout *clock.SteppedTimer // ends the connection when CloseTimeout has passed
}

// waitingLocked returns l.waiting, which it makes if needed.
func (l *life) waitingLocked() *waiters {
	if l.waiting == nil {
		l.waiting = new(waiters)
	}
	return l.waiting
}

// Whether Close or CloseWrite has been called, and which.
const (
	notClosed   int32 = iota
	closedBoth        // Close: messages of the peer are dropped
	closedWrite       // CloseWrite: messages of the peer are still read
)

// The values of life.end: what goroutines other than the reader have decided about the connection.
const (
	endNone        int32 = iota
	endWriteFailed       // writing has failed
	endCutOff            // the connection has been cut off, by CloseNow for example
)

// owner is the owner of a connection's Link as the parts of the connection know it.
type owner interface {
	// conclude gives the peer CloseTimeout to end the connection, and has its close frame read meanwhile.
	conclude()
	// cutNow ends the connection without a close frame.
	cutNow() error
	// closeSent is called when our close frame is in the output queue.
	closeSent()
	// leave is called when the connection ends, before it is over.
	leave()
}

// startClosing records that Close or CloseWrite was called, and reports whether it was the first call.
func (l *life) startClosing(how int32) bool { return l.closing.CompareAndSwap(notClosed, how) }

// closed reports whether Close or CloseWrite has been called.
func (l *life) closed() bool { return l.closing.Load() != notClosed }

// dropsMessages reports whether messages of the peer are dropped because of Close (RFC 6455 §7.1.2).
func (l *life) dropsMessages() bool { return l.closing.Load() == closedBoth }

// cutOff reports whether the connection has been cut off.
func (l *life) cutOff() bool { return l.end.Load() == endCutOff }

// endPending reports whether other goroutines have decided something that the reader is still to carry out.
func (l *life) endPending() bool {
	switch l.end.Load() {
	case endCutOff:
		return !l.finished.Load()
	case endWriteFailed:
		return !l.over.Load()
	}
	return false
}

// fail records err as the reason why the connection ends, unless there is one already, and returns the reason.
func (l *life) fail(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	return l.err
}

// reason returns why the connection is over, or will be. It is nil if neither is known.
func (l *life) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// overErr returns why the connection is over, or nil while it is not.
func (l *life) overErr() error {
	if !l.over.Load() {
		return nil
	}
	return l.reason()
}

// markOver marks the connection as over, and reports whether it was not before. wake must follow.
func (l *life) markOver() bool { return !l.over.Swap(true) }

// wake wakes the goroutines that wait for the end, and stops the timer.
func (l *life) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.waiting
	l.waiting = nobodyWaits
	if w == nil {
		return
	}
	if w.done != nil {
		close(w.done)
	}
	if w.timeout != nil {
		w.timeout.Stop()
	}
}

// nobodyWaits is the waiters of all connections that are over.
var nobodyWaits = &waiters{done: make(chan struct{})}

func init() { close(nobodyWaits.done) }

// wait returns a channel that is closed when the connection is over.
func (l *life) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.waitingLocked()
	if w.done == nil {
		w.done = make(chan struct{})
	}
	return w.done
}

// after has f called after d instead of what it was told before, unless the connection is over by then.
func (l *life) after(d time.Duration, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over.Load() {
		return
	}
	w := l.waitingLocked()
	if w.timeout != nil {
		w.timeout.Stop()
	}
	w.timeout = clock.AfterFunc(d, f)
}
