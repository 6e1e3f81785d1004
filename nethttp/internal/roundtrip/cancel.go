package roundtrip

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errCanceled        = errors.New("net/http: request canceled")
	errCanceledWaiting = errors.New("net/http: request canceled while waiting for connection")
	errRequestOver     = errors.New("net/http: request is over")
)

// cancelation is the state for ending a request other than by its context.
type cancelation struct {
	mu  sync.Mutex
	err error // the reason given to cancel

	// cancelWait ends the contexts from waitContext; nil if there is none. The goroutine that sends the request sets it, under
	// mu, and is done with that before finish, which therefore reads it without.
	cancelWait context.CancelCauseFunc

	prev, next *reply // in the inProgress; its mu guards them
	finished   atomic.Bool
}

// start adds the request to the list of requests in progress. The context it returns ends with ctx, and when
// Request.Cancel is closed.
func (r *reply) start(ctx context.Context) context.Context {
	r.running.add(r)
	//lint:ignore SA1019 http.Client closes it when its time is over
	if r.original.Cancel == nil {
		return ctx
	}
	// watchCancel passes on the end of ctx.
	own := r.waitContext(context.WithoutCancel(ctx))
	go r.watchCancel(ctx, own.Done())
	return own
}

// watchCancel cancels the request when Request.Cancel is closed or ctx ends. It returns when over is closed, at the
// end of the request.
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

// awaitCancel waits up to 10 ms for cancel to be closed after the deadline of a context has passed. With a
// RoundTripper that it does not know, http.Client enforces its Timeout by the deadline and by Request.Cancel, and
// takes an error for its own timeout only if Cancel was closed before.
func awaitCancel(cancel, over <-chan struct{}) {
	timer := time.NewTimer(10 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-cancel:
	case <-over:
	case <-timer.C:
	}
}

// whyCanceled returns the error for a request that is canceled: the cause of its context's end if the context has
// ended, context.DeadlineExceeded if its deadline has passed, else errCanceled.
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

// finish removes the request from the list of requests in progress. It may be called more than once.
func (r *reply) finish() {
	if r.finished.Load() || r.finished.Swap(true) {
		return
	}
	r.running.remove(r)
	if r.cancelWait != nil {
		r.cancelWait(errRequestOver)
	}
	if r.conn != nil {
		r.conn.leave()
	}
}

// waitContext returns a context derived from ctx that also ends when the request is canceled or finished.
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

// cancel ends the request with err.
func (r *reply) cancel(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	wake := r.cancelWait
	r.mu.Unlock()
	if wake != nil {
		wake(err)
	}
	r.body.in.Cancel(err)
}

// inProgress is the list of the requests in progress.
type inProgress struct {
	mu    sync.Mutex
	first *reply
}

func (l *inProgress) add(r *reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.next = l.first; r.next != nil {
		r.next.prev = r
	}
	l.first = r
}

func (l *inProgress) remove(r *reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.next != nil {
		r.next.prev = r.prev
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	r.prev, r.next = nil, nil
}

// find returns the reply to req, nil if that is not in progress.
func (l *inProgress) find(req *http.Request) *reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.first
	for r != nil && r.original != req {
		r = r.next
	}
	return r
}

// any reports whether there is a request.
func (l *inProgress) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first != nil
}
