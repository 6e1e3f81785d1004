package roundtrip

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// RoundTrip sends a request. One that the server has not processed is sent again on another
// connection, if its body can be sent again.
func (t *Engine) RoundTrip(req *http.Request, opt Options) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		closeBody(req)
		return nil, err
	}
	original := req
	if rt := t.alt.find(req); rt != nil {
		resp, err := rt.RoundTrip(req)
		if err != http.ErrSkipAltProtocol {
			return resp, err
		}
		if req, err = withFreshBody(req); err != nil {
			return nil, err
		}
	}
	ctx := req.Context()
	err := checkHTTP(req)
	if err == nil && ctx.Err() != nil {
		//lint:ignore SA1019 http.Client closes it when its time is over
		if req.Cancel != nil {
			//lint:ignore SA1019 http.Client closes it when its time is over
			awaitCancel(req.Cancel, nil)
		}
		err = context.Cause(ctx)
	}
	var key httpclient.Key
	if err == nil {
		key, err = t.connector.key(req, opt.Proxy)
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}
	for {
		if opt.NextProtos {
			if rt := t.connector.nextProtoTripper(&key); rt != nil {
				return t.delegate(key, rt, req)
			}
		}
		resp, err := t.do(ctx, route{key, t.client, nil, &opt}, req, original)
		taken, ok := errors.AsType[takenOverError](err)
		if !ok {
			return resp, err
		}
		req = taken.req
	}
}

// delegate has rt handle a request: a function in TLSNextProto has returned rt for the connection it took over.
func (t *Engine) delegate(key httpclient.Key, rt *nextProtoTripper, req *http.Request) (*http.Response, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.connector.nextProto.remove(key, rt) // its connection may have ended
	}
	return resp, err
}

// withFreshBody returns a request that another RoundTripper has refused, with a new body if GetBody can make one.
func withFreshBody(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	if req.GetBody == nil {
		return req, nil // the body may not have been read yet
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	next := *req
	next.Body = body
	return &next, nil
}

// route is the way that a request takes.
type route struct {
	key httpclient.Key
	via interface {
		Do(ctx context.Context, k *httpclient.Call, r *httpclient.Response) error
	}
	conn connUser // that must learn of the end of the request; nil if there is none
	opt  *Options
}

// do sends a request over a connection of the Transport or of a ClientConn. original is the request as the caller
// passed it. If a function in TLSNextProto takes the connection over do fails with a takenOverError.
func (t *Engine) do(ctx context.Context, to route, req, original *http.Request) (*http.Response, error) {
	k, r := t.newCall(), &reply{running: &t.running, original: original, conn: to.conn}
	k.req, k.reply, k.Options, r.Request = req, r, *to.opt, original
	k.trace = httptrace.ContextClientTrace(ctx)
	ctx = r.start(ctx)
	returned := false
	defer func() {
		if !returned { // a hook, or the request's body, has panicked
			r.finish()
		}
	}()
	err := k.checkFor(&to.key)
	if err == nil {
		err = k.prepare(to.key)
	}
	if err != nil {
		r.finish()
		closeBody(req)
		k.Body = nil
	} else if err = to.via.Do(ctx, &k.Call, &r.body.in); err == nil {
		err = k.fillResponse()
	} else {
		err = k.failed(err)
	}
	returned = true
	if k.Body == nil { // else another goroutine may still be sending the body
		t.putCall(k)
	}
	if err != nil {
		return nil, err
	}
	return &r.Response, nil
}

// newCall returns a call, from the pool if it has one.
func (t *Engine) newCall() *call {
	if k, ok := t.calls.Get().(*call); ok {
		return k
	}
	k := newCall()
	k.maxHead, k.http3 = t.maxHead, t.http3
	return k
}

// putCall returns k to the pool.
func (t *Engine) putCall(k *call) {
	k.reset()
	t.calls.Put(k)
}
