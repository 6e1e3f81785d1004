package httpclient

import (
	"context"
	"errors"
)

// Do sends a request and returns when the head of its response has arrived. r is the response; the caller must close it. A
// request that the server has not processed is sent again on another connection, if its body can be had again. The
// request's body is always closed, perhaps after Do has returned; only ErrTakenOver leaves it as it is. If ctx is done before
// the response has been read, Do, or reading the response, fails with the context's cause.
func (cl *Client) Do(ctx context.Context, k *Call, r *Response) error {
	cl.pools.clearNoIdle()
	k.late = false
	defer func() {
		if k.kept {
			k.kept = false
			k.closeBody()
		}
	}()
	for try := 0; ; try++ {
		again, err := cl.attempt(ctx, k, r)
		if err == nil {
			return nil
		}
		r.state.Store(closed)
		if again == never || try >= again.maxRetries() {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if why := r.canceled.Load(); why != nil { // Cancel may still be using r.ex
			return *why
		}
		if !k.rewind() {
			if again == refused && k.Rewind == nil {
				err = &SpentBody{err}
			}
			return err
		}
		cl.pools.stats.retries.Add(1)
		if err := again.pause(ctx, k.WaitContext, try); err != nil {
			k.closeBody()
			return err
		}
	}
}

// attempt sends the request once.
func (cl *Client) attempt(ctx context.Context, k *Call, r *Response) (retry, error) {
	r.reset(&k.response)
	if t := k.Trace; t != nil && t.Get != nil {
		t.Get(k.Key)
	}
	ex, err := cl.begin(ctx, k)
	if err != nil {
		if !errors.Is(err, ErrTakenOver) {
			k.closeBody()
		}
		return cl.retryUnprocessed(err), err
	}
	r.attach(ex)
	if err = r.talk(ctx, k); err == nil {
		if why := cl.noteHTTP3(k, r); why != never {
			ex.cancel(r.turn, errElsewhere)
			if r.upload != nil {
				r.upload.stopAndWait(ctx)
			}
			r.leave()
			return why, errElsewhere
		}
		if r.upload != nil && r.Major > 1 && r.Status > 299 {
			r.upload.stop() // the server needs no more of the body
		}
		r.start(ctx, k)
		return never, nil
	}
	cl.noteHTTP3Failed(ctx, ex, err)
	why, err := ex.canRetry(err, k.Replayable)
	ex.cancel(r.turn, err)
	if r.upload != nil {
		k.kept = why != never && r.upload.keep()
		r.upload.stopAndWait(ctx)
	}
	r.leave()
	return why, err
}

// retryUnprocessed returns refused if err says that the server has not processed the request, else never.
func (cl *Client) retryUnprocessed(err error) retry {
	if cl.http3 != nil && cl.http3.Unprocessed(err) {
		return refused
	}
	return retryUnprocessed(err)
}
