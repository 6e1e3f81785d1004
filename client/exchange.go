package client

import (
	"context"
	"time"
)

// run sends req, follows redirects, and returns the Response that the last one has become: r, or another one in its place.
func (r *Response) run(ctx context.Context, req *Request) (*Response, error) {
	err := r.prepare(req)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.closeStream()
		return r, err
	}
	if d := r.client.timeoutOf(req); d > 0 {
		ctx, r.cancel = context.WithTimeoutCause(ctx, d, ErrTimeout)
	}
	ctx = r.traced(ctx)
	r, err = r.send(ctx)
	if err == nil && r.redirects() {
		r, err = r.follow(ctx)
	}
	if err != nil {
		return r, err
	}
	r.decode()
	return r, nil
}

// timeoutOf returns how long a request may take in all; 0 is for ever.
func (c *Client) timeoutOf(req *Request) time.Duration {
	if req.Timeout != 0 {
		return max(req.Timeout, 0)
	}
	return max(c.cfg.Timeout, 0)
}

// failed returns err as what the request fails with.
func (r *Response) failed(err error) error {
	url := r.head.to.text
	if url == "" {
		url = r.head.req.URL // which could not be taken apart
	}
	return &Error{Op: opOf(r.head.method), URL: shown(url), Err: err}
}
