package client

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Trace is told what becomes of a request, phase by phase. Each function may be nil, is called on some goroutine, perhaps
// after Do has returned, and should return soon. Redirects and retries begin anew with GetConn. What a connection is opened
// by is told to the request that has waited longest, which may get another one in the end.
type Trace struct {
	GetConn   func(host string) // a connection is looked for; host has its port unless it is the scheme's
	DialStart func(network, addr string)
	DialDone  func(network, addr string, err error)
	TLSStart  func()
	TLSDone   func(state tls.ConnectionState, err error)
	GotConn   func(conn ConnInfo)

	WroteHead    func()
	WaitContinue func()          // the body waits for 100 Continue
	WroteRequest func(err error) // the request has been sent, or not
	FirstByte    func()          // of the response, also of an informational one
	PutIdle      func(err error) // of HTTP/1.1: the connection is kept for other requests, or why not

	Retry    func(attempt, status int, err error) // it is sent again, because of a status or an error
	Redirect func(status int, method, to string)  // it is followed
}

// ConnInfo is what a request goes over.
type ConnInfo struct {
	Conn   net.Conn      // to look at, and no more
	Reused bool          // it has carried a request before
	Idle   time.Duration // for how long it carried none
}

// traceKey is what a Trace is known by among a context's values.
type traceKey struct{}

// traced returns a context that has the Trace of the request, for what opens connections.
func (r *Response) traced(ctx context.Context) context.Context {
	if r.trace == nil {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, r.trace)
}

// traceOf returns the Trace of a request for which a connection is opened, which is never nil.
func traceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return new(Trace)
}

// setTrace has the call told what it is to tell. Its own hooks are needed for bodies only; those of a Trace are made for the
// request, since connections know them for longer than it lasts.
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

// hooksFor returns hooks that tell t, and r.
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

// began is told that a request was begun on a connection.
func (r *Response) began(net.Conn, bool, time.Duration) {
	r.refs.Add(1)
	if len(r.call.Bytes) > 0 {
		r.sending.Add(1)
	}
}

// sent is told that nothing of the request will be sent any more.
func (r *Response) sent(error) {
	if len(r.call.Bytes) > 0 {
		r.sending.Done()
	}
	r.leave()
}
