package client

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Trace holds functions that are called as a request proceeds. Each may be nil. They are called on various goroutines,
// perhaps after Do has returned, and should return soon. Redirects and retries start again with GetConn. The opening of a
// connection is reported to the request that has waited longest, although another request may get the connection in the
// end.
type Trace struct {
	GetConn   func(host string) // a connection is looked for; host includes the port unless it is the scheme's
	DialStart func(network, addr string)
	DialDone  func(network, addr string, err error)
	TLSStart  func()
	TLSDone   func(state tls.ConnectionState, err error)
	GotConn   func(conn ConnInfo)

	WroteHead    func()
	WaitContinue func()          // the body waits for 100 Continue
	WroteRequest func(err error) // the whole request has been sent, or err says why not
	FirstByte    func()          // of the response, or of an informational one
	PutIdle      func(err error) // a connection of HTTP/1.1 is kept for other requests, or err says why not

	Retry    func(attempt, status int, err error) // the request is sent again because of a status or an error
	Redirect func(status int, method, to string)  // a redirect is followed
}

// ConnInfo describes the connection of a request.
type ConnInfo struct {
	Conn   net.Conn      // for inspection only
	Reused bool          // the connection has carried a request before
	Idle   time.Duration // how long it was idle before
}

// traceKey is the key of a Trace in a context.
type traceKey struct{}

// traced returns ctx with the request's Trace, for use when a connection is opened.
func (r *Response) traced(ctx context.Context) context.Context {
	if r.trace == nil {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, r.trace)
}

// traceOf returns the Trace in ctx. It is never nil.
func traceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return new(Trace)
}

// setTrace sets the hooks of the call. Without a Trace they are only needed for requests with a body, and belong to r.
// With a Trace they are allocated per request, since connections may call them after the request has ended.
func (r *Response) setTrace() {
	r.call.Trace = nil
	t := r.head.req.Trace
	if t == nil {
		t = r.client.cfg.Trace
	}
	if r.trace = t; t != nil {
		r.call.Trace = r.hooksFor(t)
	} else if r.hasBody() {
		r.call.Trace = &r.hooks
	}
}

// hooksFor returns hooks that call t and update r.
func (r *Response) hooksFor(t *Trace) *httpclient.Trace {
	return &httpclient.Trace{
		Get: func(key httpclient.Key) {
			if t.GetConn != nil {
				t.GetConn(r.head.to.key)
			}
		},
		Got: func(nc net.Conn, reused bool, idle time.Duration) {
			r.began(nc, reused, idle)
			if t.GotConn != nil {
				t.GotConn(ConnInfo{nc, reused, idle})
			}
		},
		Sent: func(err error) {
			if t.WroteRequest != nil {
				t.WroteRequest(err)
			}
			r.sent(err)
		},
		FirstByte: t.FirstByte,
		Head:      t.WroteHead,
		Expects:   t.WaitContinue,
		PutIdle:   t.PutIdle,
	}
}

// began is called when the head has been sent on a connection.
func (r *Response) began(net.Conn, bool, time.Duration) {
	r.refs.Add(1)
	if len(r.call.Bytes) > 0 {
		r.sending.Add(1)
	}
}

// sent is called when nothing more of the request will be sent.
func (r *Response) sent(error) {
	if len(r.call.Bytes) > 0 {
		r.sending.Done()
	}
	r.release()
}
