package httpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// Do sends a request and returns when the head of its response has arrived. r is the response; the caller must close it. A
// request that the server has not processed is sent again on another connection, if its body can be had again. The
// request's body is always closed, perhaps after Do has returned; only ErrTakenOver leaves it as it is. If ctx is done before
// the response has been read, Do, or reading the response, fails with the context's cause.
func (cl *Client) Do(ctx context.Context, k *Call, r *Response) error {
	cl.clearNoIdle()
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
		cl.stats.retries.Add(1)
		if err := again.pause(ctx, k, try); err != nil {
			k.closeBody()
			return err
		}
	}
}

// retry is the reason why a request may be sent again.
type retry uint8

const (
	never     retry = iota
	stale           // the connection had ended before the server saw the request
	refused         // the server says that it has not processed the request
	early           // the server does not take the request before the handshake is complete (RFC 8470 §5.2)
	elsewhere       // the alternative service is none for the request (RFC 7838 §6)
)

// maxRetries returns how often a request is sent again.
func (a retry) maxRetries() int {
	if a == refused {
		return 6
	}
	return 100 // each attempt uses up one idle connection; the other reasons come once
}

// pause waits before the next attempt. For a server that refused the request it backs off exponentially, but does not wait
// before the first retry.
func (a retry) pause(ctx context.Context, k *Call, try int) error {
	if a != refused || try == 0 {
		return nil
	}
	if k.WaitContext != nil {
		ctx = k.WaitContext(ctx)
	}
	wait := time.Duration(float64(time.Second<<(try-1)) * (1 + 0.1*rand.Float64()))
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// attempt sends the request once.
func (cl *Client) attempt(ctx context.Context, k *Call, r *Response) (retry, error) {
	r.reset(&k.answer)
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

// talk sends the rest of a request that has begun, and waits for the head of its final response. If a hook of the caller
// panics, or ends the goroutine, talk ends the exchange, so that its connection counts no longer.
func (r *Response) talk(ctx context.Context, k *Call) (err error) {
	ex, returned := r.ex, false
	defer func() {
		if !returned {
			r.abandon(k)
		}
	}()
	r.TLS = ex.tls()
	if k.Trace != nil {
		k.Trace.requestBegun(ex.info(), k.streams())
	}
	if k.streams() {
		r.upload = newUpload(k, ex)
		go r.upload.run(ctx)
	} else if rest := ex.unsent(); rest != nil {
		r.upload = newRestUpload(k, ex, rest)
		go r.upload.run(ctx)
	} else if k.Timeouts != nil && k.Timeouts.Head > 0 {
		ex.boundHead(k.Timeouts.Head)
	}
	err = ex.await(ctx, r)
	if t := k.Trace; err == nil && t != nil && t.FirstByte != nil {
		t.FirstByte()
	}
	for err == nil && r.Status < 200 && r.Status != 101 {
		if err = r.passInterim(k); err == nil {
			err = ex.await(ctx, r)
		}
	}
	returned = true
	return err
}

// abandon ends the exchange in place of the goroutines that use it: a hook has panicked.
func (r *Response) abandon(k *Call) {
	r.state.Store(closed)
	r.ex.cancel(r.turn, errAbandoned)
	switch {
	case r.upload != nil:
		r.upload.stop()
	case k.streams(), r.ex.unsent() != nil:
		k.closeBody()
		r.ex.leave() // in place of the goroutine that would have sent the body
	}
	r.leave()
}

var errAbandoned = errors.New("http: a hook of the request has not returned")

// retryUnprocessed returns refused if err says that the server has not processed the request, else never.
func (cl *Client) retryUnprocessed(err error) retry {
	if cl.http3 != nil && cl.http3.Unprocessed(err) {
		return refused
	}
	return retryUnprocessed(err)
}

// retryUnprocessed is the method for a connection of HTTP/2.
func retryUnprocessed(err error) retry {
	if h2client.Unprocessed(err) {
		return refused
	}
	return never
}

// passInterim passes an informational response to the caller.
func (r *Response) passInterim(k *Call) error {
	if k.Interim == nil {
		return nil
	}
	if err := k.Interim(r.Status, r.Header()); err != nil {
		return err
	}
	r.ex.resetInterim()
	return nil
}

// maxInOneWrite is the size up to which a body that is in memory is sent in one write with the head.
const maxInOneWrite = 64 << 10

// streams reports whether a goroutine of its own sends the body.
func (k *Call) streams() bool {
	return k.Body != nil || len(k.Bytes) > maxInOneWrite || k.Expect > 0 && len(k.Bytes) > 0
}

// body returns the body for the goroutine that sends it.
func (k *Call) body() io.ReadCloser {
	if k.Body != nil {
		return k.Body
	}
	return io.NopCloser(bytes.NewReader(k.Bytes))
}

func (k *Call) closeBody() {
	if k.Body != nil {
		k.Body.Close()
	}
}

// rewind replaces a body that has been read by one from its beginning. It reports false if there is none.
func (k *Call) rewind() bool {
	if k.Body == nil || k.kept {
		k.kept = false
		return true
	}
	if k.Rewind == nil {
		return false
	}
	body, err := k.Rewind()
	if err != nil {
		return false
	}
	k.Body = body
	return true
}
