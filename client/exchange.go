package client

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// exchange is one call of Do: it sends a request, follows redirects, sends again what failed, and returns the last
// response. It and its Response are one piece of memory, which is reused.
//
//	run ─► send (and again) ─► redirected? ─► send … ─► the Response is the program's
//
// One goroutine runs it. The one that sends the body calls began and sent.
type exchange struct {
	shared *shared
	out    outgoing
	resp   Response
	own    Request          // used by Get and similar methods
	hooks  httpclient.Trace // of requests without a Trace
	trace  *Trace           // may be nil
}

// newExchange allocates an exchange.
func newExchange(s *shared) *exchange {
	e := &exchange{shared: s}
	e.hooks = httpclient.Trace{Got: e.began, Sent: e.sent}
	e.resp.init(e.recycle)
	e.resp.body.limit = s.cfg.MaxBodyBytes
	return e
}

// takeExchange returns an exchange that is not in use.
func takeExchange(s *shared) *exchange {
	e, ok := s.exchanges.Get().(*exchange)
	if !ok {
		e = newExchange(s)
	}
	e.resp.life.begin()
	return e
}

// recycle makes e, which is no longer in use, available for other requests.
func (e *exchange) recycle() {
	if e.shared.poison {
		e.resp.raw.Poison()
		return
	}
	e.resp.reset()
	e.out.reset()
	e.own.Reset()
	e.trace = nil
	e.shared.exchanges.Put(e)
}

// run sends req and follows redirects. It returns the exchange with the last response, which is e or has replaced e. If it
// fails that exchange has to be closed.
func (e *exchange) run(ctx context.Context, req *Request) (*exchange, error) {
	err := e.prepare(req)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		e.out.closeStream()
		return e, err
	}
	if d := e.shared.timeoutOf(req); d > 0 {
		ctx, e.resp.life.cancel = context.WithTimeoutCause(ctx, d, ErrTimeout)
	}
	ctx = e.traced(ctx)
	e, err = e.send(ctx)
	if err == nil && e.isRedirect() {
		e, err = e.follow(ctx)
	}
	if err != nil {
		return e, err
	}
	e.resp.of = e.out.subject()
	if e.out.head.AcceptEncoding {
		e.resp.body.decode(e.shared.inflate)
	}
	return e, nil
}

// timeoutOf returns the time limit for req as a whole; 0 means none.
func (s *shared) timeoutOf(req *Request) time.Duration {
	if req.Timeout != 0 {
		return max(req.Timeout, 0)
	}
	return max(s.cfg.Timeout, 0)
}

// prepare checks a request and sets up everything that is needed to send it.
func (e *exchange) prepare(req *Request) error {
	if err := e.out.prepare(req, &e.shared.cfg); err != nil {
		return err
	}
	return e.setCall()
}

// setCall sets the connection key and the other parameters of the call.
func (e *exchange) setCall() error {
	s, h, call, req := e.shared, &e.out.head, &e.out.call, e.out.req
	call.Method, call.Head, call.Timeouts = h.Method, h, &s.timeout
	call.Replayable, call.Close, call.Interim = req.replayable(h.Method), h.Close, req.Interim
	call.HTTP3 = s.versions.offers
	e.setTrace(req.Trace)
	version, err := s.versions.of(h.To.Secure)
	if err != nil {
		return err
	}
	call.Key = httpclient.Key{Secure: h.To.Secure, Host: h.To.Key, Version: version}
	h.ProxyLogin, err = s.proxies.setProxy(&call.Key)
	return err
}

// renew closes the response and returns the exchange for the next request: e itself, or a new one if e's body is still
// being sent. resends says that the body will be sent again: renew then waits until it is not read any more.
func (e *exchange) renew(resends bool) *exchange {
	e.resp.raw.Close()
	e.resp.life.sending.Wait()
	if resends {
		e.resp.raw.AwaitSent()
	}
	if e.resp.life.uses.Load() == 1 {
		return e
	}
	next := takeExchange(e.shared)
	next.out.head, e.out.head = e.out.head, next.out.head
	next.out.req = e.out.req
	next.resp.life.cancel, e.resp.life.cancel = e.resp.life.cancel, nil
	if next.out.req == &e.own {
		next.own, e.own = e.own, Request{}
		next.out.req, next.out.head.Own = &next.own, &next.own.Header
	}
	// The fields of the call that the sending goroutine uses stay.
	call, old := &next.out.call, &e.out.call
	call.Body, call.Bytes, call.Length, call.Trailer, call.Expect = old.Body, old.Bytes, old.Length, old.Trailer, old.Expect
	e.resp.Close()
	return next
}
