package httpclient

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"time"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// Do sends a request and returns when the head of its response has come, which is r from then on: r is to be closed. A
// request that the server has not worked on is sent again on another connection, if its body can be had again. The
// request's body is closed, also when Do fails, perhaps after it has returned. When ctx ends before the response does,
// that fails with its cause.
func (cl *Client) Do(ctx context.Context, k *Call, r *Response) error {
	cl.keepIdle()
	for try := 0; ; try++ {
		again, err := cl.attempt(ctx, k, r)
		if err == nil {
			return nil
		}
		r.state.Store(closed)
		if again == never || try >= again.most() || ctx.Err() != nil || !k.rewind() {
			return err
		}
		cl.stats.retries.Add(1)
		if err := again.pause(ctx, try); err != nil {
			k.closeBody()
			return err
		}
	}
}

// retry is why a request may be sent again.
type retry uint8

const (
	never   retry = iota
	stale         // the connection had ended before the server saw the request
	refused       // the server has not worked on it, and says so
)

// most is how often a request is sent again.
func (a retry) most() int {
	if a == stale {
		return 100 // each time with one idle connection less
	}
	return 6
}

// pause waits before another attempt: where the server had too much to do longer and longer, but not before the first.
func (a retry) pause(ctx context.Context, try int) error {
	if a == stale || try == 0 {
		return nil
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
	r.reset()
	if t := k.Trace; t != nil && t.Get != nil {
		t.Get(k.Key)
	}
	ex, err := cl.begin(ctx, k)
	if err != nil {
		k.closeBody()
		return again(err), err
	}
	r.enter(ex)
	info := ex.info()
	r.TLS = info.tls
	if k.streams() {
		r.upload = newUpload(k, ex)
		go r.upload.run(ctx)
	} else if k.Timeouts != nil && k.Timeouts.Head > 0 {
		ex.expire(k.Timeouts.Head)
	}
	if err = r.awaitFinal(ctx, k); err == nil {
		if r.upload != nil && r.Major == 2 && r.Status > 299 {
			r.upload.stop() // the server has seen enough of the body
		}
		r.start(ctx, k)
		return never, nil
	}
	why, err := ex.again(err, k.Replayable)
	ex.cancel(r.turn, err)
	if r.upload != nil {
		r.upload.settle(ctx)
	}
	r.letGo()
	return why, err
}

// again reports whether err says that the server has not worked on a request.
func again(err error) retry {
	if h2client.Untouched(err) {
		return refused
	}
	return never
}

// awaitFinal waits for the head that is not informational.
func (r *Response) awaitFinal(ctx context.Context, k *Call) error {
	for first := true; ; first = false {
		if err := r.ex.await(ctx, r); err != nil {
			return err
		}
		if t := k.Trace; first && t != nil && t.FirstByte != nil {
			t.FirstByte()
		}
		if r.Status >= 200 || r.Status == 101 {
			return nil
		}
		if k.Interim == nil {
			continue
		}
		if err := k.Interim(r.Status, r.Header()); err != nil {
			return err
		}
		r.ex.told()
	}
}

// inOneWrite is up to which size a body that is there leaves with the head.
const inOneWrite = 64 << 10

// streams reports whether the body is sent by a goroutine of its own.
func (k *Call) streams() bool {
	return k.Body != nil || len(k.Bytes) > inOneWrite || k.Expect > 0 && len(k.Bytes) > 0
}

// body returns what streams.
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

// rewind makes the body one that has not been read, for another attempt.
func (k *Call) rewind() bool {
	if k.Body == nil {
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
