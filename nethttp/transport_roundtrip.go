package nethttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// RoundTrip implements http.RoundTripper. A request that the server has not worked on is sent again on another
// connection, if its body can be had again.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.init)
	if err := checkRequest(req); err != nil {
		closeBody(req)
		return nil, err
	}
	asked := req
	if rt := t.altRoundTripper(req); rt != nil {
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
		key, err = t.key(req)
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}
	for {
		if rt := t.nextProto.find(key); rt != nil {
			return t.delegate(key, rt, req)
		}
		resp, err := t.do(ctx, route{key, t.client, nil}, req, asked)
		if err == nil || !errors.As(err, new(takenOverError)) {
			return resp, err
		}
		if req, err = withFreshBody(req); err != nil {
			return nil, err
		}
	}
}

// delegate has rt do a request: it has taken the connections for key over.
func (t *Transport) delegate(key httpclient.Key, rt http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.nextProto.remove(key, rt) // the connection may be no more
	}
	return resp, err
}

// withFreshBody returns a request that somebody has failed to do with the body anew.
func withFreshBody(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	if req.GetBody == nil {
		return req, nil // it may not have been read
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	next := *req
	next.Body = body
	return &next, nil
}

// route is what a request goes over.
type route struct {
	key httpclient.Key
	via interface {
		Do(ctx context.Context, k *httpclient.Call, r *httpclient.Response) error
	}
	conn *ClientConn // that is to be told of the request's end; nil is none
}

// do sends a request over connections of ours. asked is how it was given to us.
func (t *Transport) do(ctx context.Context, to route, req, asked *http.Request) (*http.Response, error) {
	k, r := t.newCall(), &reply{t: t, original: asked, conn: to.conn}
	k.req, k.reply, r.Request = req, r, asked
	k.trace = httptrace.ContextClientTrace(ctx)
	ctx = r.start(ctx)
	err := k.checkFor(&to.key)
	if err == nil {
		err = k.prepare(to.key)
	}
	if err != nil {
		r.finish()
		closeBody(req)
		t.putCall(k)
		return nil, err
	}
	err = to.via.Do(ctx, &k.Call, &r.body.in)
	if err != nil {
		err = k.roundTripError(err)
		r.finish()
		if k.Tunnel {
			closeBody(req)
		}
		r.body.in.Release()
	} else {
		err = k.fillResponse()
	}
	if k.Body == nil { // else who sends it may still be at work
		t.putCall(k)
	}
	if err != nil {
		return nil, err
	}
	return &r.Response, nil
}
