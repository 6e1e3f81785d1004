package client

import (
	"context"
	"time"
)

// run sends req and follows redirects. It returns the last response, which is r or has replaced r.
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
	if err == nil && r.isRedirect() {
		r, err = r.follow(ctx)
	}
	if err != nil {
		return r, err
	}
	r.decode()
	return r, nil
}

// timeoutOf returns the time limit for req as a whole; 0 means none.
func (c *Client) timeoutOf(req *Request) time.Duration {
	if req.Timeout != 0 {
		return max(req.Timeout, 0)
	}
	return max(c.cfg.Timeout, 0)
}

// wrapError returns err as an *Error of the request.
func (r *Response) wrapError(err error) error {
	url := r.head.to.text
	if url == "" {
		url = r.head.req.URL // the URL could not be parsed
	}
	return &Error{Op: opOf(r.head.method), URL: redacted(url), Err: err}
}
