package nethttp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

var (
	errCanceled        = errors.New("net/http: request canceled")
	errCanceledWaiting = errors.New("net/http: request canceled while waiting for connection")
	errRequestOver     = errors.New("net/http: request is over")
)

// cancelation is how a request is ended otherwise than by its context.
type cancelation struct {
	mu         sync.Mutex
	err        error                   // what it has been ended with
	cancelWait context.CancelCauseFunc // ends the context of who waits; nil if nobody has one
	prev, next *reply                  // in the Transport's list, under its lock
	listed     bool
}

// start puts a request among those that are under way. What it returns ends with ctx, and when Request.Cancel is closed.
func (r *reply) start(ctx context.Context) context.Context {
	t := r.t
	t.mu.Lock()
	if r.next = t.running; r.next != nil {
		r.next.prev = r
	}
	t.running, r.listed = r, true
	t.mu.Unlock()
	//lint:ignore SA1019 http.Client closes it when its time is over
	if r.original.Cancel == nil {
		return ctx
	}
	// The end of ctx is told by a goroutine of ours.
	own := r.waitContext(context.WithoutCancel(ctx))
	go r.watchCancel(ctx, own.Done())
	return own
}

// watchCancel waits for Request.Cancel and for the end of ctx, until the request is over.
func (r *reply) watchCancel(ctx context.Context, over <-chan struct{}) {
	select {
	//lint:ignore SA1019 http.Client closes it when its time is over
	case <-r.original.Cancel:
	case <-ctx.Done():
		if ctx.Err() == context.DeadlineExceeded {
			//lint:ignore SA1019 http.Client closes it when its time is over
			awaitCancel(r.original.Cancel, over)
		}
	case <-over:
		return
	}
	r.cancel(r.whyCanceled())
}

// awaitCancel waits for Request.Cancel behind a deadline. To a Transport that it does not know http.Client tells its Timeout
// by both, and takes an error for that Timeout's only if Cancel has been closed before.
func awaitCancel(cancel, over <-chan struct{}) {
	late := time.NewTimer(10 * time.Millisecond)
	defer late.Stop()
	select {
	case <-cancel:
	case <-over:
	case <-late.C:
	}
}

// whyCanceled returns what a request fails with that is ended: the cause of its context's end if that has come, or is due.
func (r *reply) whyCanceled() error {
	ctx := r.original.Context()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if by, ok := ctx.Deadline(); ok && !time.Now().Before(by) {
		return context.DeadlineExceeded
	}
	return errCanceled
}

// over takes it out of them.
func (r *reply) finish() {
	t := r.t
	t.mu.Lock()
	first := r.listed
	if r.listed {
		r.listed = false
		if r.next != nil {
			r.next.prev = r.prev
		}
		if r.prev != nil {
			r.prev.next = r.next
		} else {
			t.running = r.next
		}
		r.prev, r.next = nil, nil
	}
	t.mu.Unlock()
	r.stopWaiting(errRequestOver)
	if first && r.conn != nil {
		r.conn.leave()
	}
}

// waitContext returns a context that ends with the request, too.
func (r *reply) waitContext(ctx context.Context) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, wake := context.WithCancelCause(ctx)
	if r.err != nil {
		wake(r.err)
	}
	if before := r.cancelWait; before != nil {
		r.cancelWait = func(err error) { before(err); wake(err) }
	} else {
		r.cancelWait = wake
	}
	return ctx
}

func (r *reply) stopWaiting(err error) {
	r.mu.Lock()
	wake := r.cancelWait
	r.mu.Unlock()
	if wake != nil {
		wake(err)
	}
}

// cancel ends the request with err.
func (r *reply) cancel(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.stopWaiting(err)
	r.body.in.Cancel(err)
}

// CancelRequest ends a request that is under way, and its connection.
//
// Deprecated: a context does that better.
func (t *Transport) CancelRequest(req *http.Request) {
	t.mu.Lock()
	r := t.running
	for r != nil && r.original != req {
		r = r.next
	}
	t.mu.Unlock()
	if r != nil {
		r.cancel(r.whyCanceled())
	}
}
