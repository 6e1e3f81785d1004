package client

import (
	"context"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// traced returns ctx with the request's Trace, for use when a connection is opened.
func (e *exchange) traced(ctx context.Context) context.Context {
	if e.trace == nil {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, e.trace)
}

// setTrace sets the hooks of the call. Without a Trace they are only needed for requests with a body, and belong to e.
// With a Trace they are allocated per request, since connections may call them after the request has ended.
func (e *exchange) setTrace(t *Trace) {
	if t == nil {
		t = e.shared.cfg.Trace
	}
	call := &e.out.call
	call.Trace = nil
	if e.trace = t; t != nil {
		call.Trace = e.hooksFor(t)
	} else if e.out.hasBody() {
		call.Trace = &e.hooks
	}
}

// hooksFor returns hooks that call t and update e.
func (e *exchange) hooksFor(t *Trace) *httpclient.Trace {
	return &httpclient.Trace{
		Get: func(key httpclient.Key) {
			if t.GetConn != nil {
				t.GetConn(e.out.head.To.Key)
			}
		},
		Got: func(nc net.Conn, reused bool, idle time.Duration) {
			e.began(nc, reused, idle)
			if t.GotConn != nil {
				t.GotConn(ConnInfo{nc, reused, idle})
			}
		},
		Sent: func(err error) {
			if t.WroteRequest != nil {
				t.WroteRequest(err)
			}
			e.sent(err)
		},
		FirstByte: t.FirstByte,
		Head:      t.WroteHead,
		Expects:   t.WaitContinue,
		PutIdle:   t.PutIdle,
	}
}

// began is called when the head has been sent on a connection.
func (e *exchange) began(net.Conn, bool, time.Duration) {
	e.resp.life.uses.Add(1)
	if len(e.out.call.Bytes) > 0 {
		e.resp.life.sending.Add(1)
	}
}

// sent is called when nothing more of the request will be sent.
func (e *exchange) sent(error) {
	if len(e.out.call.Bytes) > 0 {
		e.resp.life.sending.Done()
	}
	e.resp.life.release()
}
