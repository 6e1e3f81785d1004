package h1client

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/expect"
)

// turn is what the two goroutines of an exchange share, and those that cancel it. It is used by one exchange after another.
type turn struct {
	p *netconn.Pulled

	mu          sync.Mutex         // guards the fields up to proceed
	users       int8               // how many goroutines have not left the exchange
	last        bool               // no exchange follows the current one
	gotFinal    bool               // the final head has arrived
	bodyWanted  bool               // the server has asked for the body
	deadlineSet bool               // a read deadline is set
	sentAll     bool               // the whole request has been passed to the connection
	chunked     bool               // the request is chunked; the sending goroutine reads it without mu
	stopErr     error              // the error of StopSending
	unblock     context.CancelFunc // ends the sender's wait for room
	proceed     expect.Wait        // of the sender

	// served is how many exchanges have begun. It changes under mu when no exchange is under way, so the goroutines of an
	// exchange, and the owner of an idle connection, read it without.
	served int
	// canceled is the error of Cancel, after which no other exchange begins. It is set once, under mu.
	canceled atomic.Pointer[error]
}

// beginLocked begins the next exchange. sends says that another goroutine sends the body, chunked that it is
// sent in chunks.
func (t *turn) beginLocked(sends, chunked bool) {
	t.users, t.sentAll, t.chunked = 1, !sends, chunked
	if sends {
		t.users = 2
	}
	t.last, t.gotFinal, t.bodyWanted = false, false, false
	t.stopErr, t.unblock = nil, nil
	t.served++
}

// underWayLocked reports whether the exchange with the given number is the current one and not over.
func (t *turn) underWayLocked(exchange int) bool { return t.users > 0 && t.served == exchange }

// cancelErr returns the error of Cancel, nil if Cancel has not been called.
func (t *turn) cancelErr() error {
	if err := t.canceled.Load(); err != nil {
		return *err
	}
	return nil
}

// gotFinalLocked notes that the final head has arrived. last says that no exchange follows.
func (t *turn) gotFinalLocked(last bool) {
	t.gotFinal = true
	t.last = t.last || last
	t.setDeadlineLocked(0)
	t.proceed.EndLocked()
}

// setDeadlineLocked lets reads fail after d; 0 means no bound.
func (t *turn) setDeadlineLocked(d time.Duration) {
	switch {
	case d > 0:
		t.deadlineSet = true
		t.p.SetReadTimeout(d)
	case t.deadlineSet:
		t.deadlineSet = false
		t.p.SetReadTimeout(0)
	}
}

// errSent is returned by SendPart after the end of the request.
var errSent = errors.New("h1client: the request has been sent")

// stoppedLocked returns why nothing more may be sent, nil if it may.
func (t *turn) stoppedLocked() error {
	switch err := t.cancelErr(); {
	case err != nil:
		return err
	case t.stopErr != nil:
		return t.stopErr
	case t.sentAll:
		return errSent
	}
	return nil
}

// stopSending makes sending in the given exchange fail with err.
func (t *turn) stopSending(exchange int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.underWayLocked(exchange) {
		return
	}
	if t.stopErr == nil {
		t.stopErr = err
	}
	t.unblockSenderLocked()
}

// unblockSenderLocked ends the waits of the sending goroutine.
func (t *turn) unblockSenderLocked() {
	t.proceed.EndLocked()
	if t.unblock != nil {
		t.unblock()
	}
}
