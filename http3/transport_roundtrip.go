package http3

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// RoundTrip implements http.RoundTripper. A request that the server has not processed is sent again on another connection, if its body
// can be sent again; so is, once, a request with a safe method or an Idempotency-Key whose connection, used before, has ended before
// anything was answered. The request's body is always closed, perhaps after RoundTrip has returned. If the request's context ends before
// the response has been read, its cause is the error.
//
// The error of a server that breaks a rule implements shockwave.ProtocolError and says which rule. What the server has ended itself is
// a *StreamError or a *ClosedError, which implement it, too, and blame the side that the code accuses.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c, err := t.newCall(req)
	if err == nil && req.Context().Err() != nil {
		err = context.Cause(req.Context())
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}
	for try := 0; ; try++ {
		resp, why, err := c.attempt()
		if err == nil {
			return resp, nil
		}
		if why != never && try < why.most() && c.ctx.Err() == nil {
			if err = c.rewind(err); err == nil {
				err = why.pause(c.ctx, try)
			}
			if err == nil {
				continue
			}
		}
		if c.body != nil {
			c.body.Close()
		}
		return nil, err
	}
}

// closeBody closes the body of a request that is not sent.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// attempt sends the request once. Then c.body is nil if the body was used up.
func (c *clientCall) attempt() (*http.Response, retry, error) {
	c.traceGet()
	k, reused, err := c.t.conn(c.ctx, c.addr)
	if err != nil {
		return nil, never, err
	}
	c.traceGot(k, reused)
	x, err := c.beginExchange(k, reused)
	if err != nil {
		if isUnprocessed(err) {
			return nil, refused, err
		}
		return nil, never, err
	}
	if c.req.Close || hasToken(c.req.Header["Connection"], "close") {
		k.retire()
	}
	returned := false
	defer func() {
		if !returned { // a hook has panicked
			x.giveUp(errAbandoned)
		}
	}()
	x.sendHead()
	h, err := x.readHead()
	if err == nil {
		if x.up != nil {
			x.up.giveBack()
			if h.Status > 299 {
				x.up.stop(false) // the server needs no more of the body
			}
		}
		resp, err := x.response(&h)
		returned = true
		return resp, never, err
	}
	why := x.again(err)
	c.takeBack(x, why != never)
	x.giveUp(err)
	returned = true
	return nil, why, err
}

var errAbandoned = fmt.Errorf("http3: a hook of the request has not returned")

// giveUp ends an exchange that no response has come of.
func (x *clientExchange) giveUp(err error) {
	x.abort(h3frame.RequestCancelled, err)
	if x.up != nil {
		x.up.stop(false)
	}
	x.finish(err)
}

// takeBack stops the upload, and waits until the body is not used any more. A body that was not read can be sent again.
func (c *clientCall) takeBack(x *clientExchange, again bool) {
	if x.up == nil {
		return
	}
	if !x.up.stop(again) {
		c.body = nil
	}
	limit := maxAwaitStopped
	if c.ctx.Err() != nil {
		limit = maxSendAfterResponse
	}
	x.abort(h3frame.RequestCancelled, errUploadStopped) // ends a write that waits
	x.up.await(limit)
}

// rewind prepares the body for another attempt, after one has failed with err. It fails if the body cannot be had again.
func (c *clientCall) rewind(err error) error {
	if c.length == 0 || c.body != nil {
		return nil
	}
	if c.req.GetBody == nil {
		return fmt.Errorf("http3: cannot send the request again after its body was read; define Request.GetBody to avoid this error: %w", err)
	}
	body, failed := c.req.GetBody()
	if failed != nil {
		return failed
	}
	c.body = body
	return nil
}

// retry is the reason why a request may be sent again.
type retry uint8

const (
	never   retry = iota
	stale         // the connection had ended before the server saw the request
	refused       // the server has not processed the request
)

// most returns how often a request is sent again.
func (why retry) most() int {
	if why == stale {
		return 1
	}
	return 6
}

// pause waits before the next attempt. For a server that refused the request it backs off exponentially, but does not wait before the
// first one.
func (why retry) pause(ctx context.Context, try int) error {
	if why == stale || try == 0 {
		return nil
	}
	return pause(ctx, time.Duration(float64(time.Second<<(try-1))*(1+0.1*rand.Float64())), nil)
}
