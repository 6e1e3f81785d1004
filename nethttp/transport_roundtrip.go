package nethttp

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// call is one attempt at a request.
type call struct {
	h2client.Exchange
	t     *Transport
	req   *http.Request
	trace *httptrace.ClientTrace

	length  int64 // of the request's body; -1 is not known
	sends   bool  // there is a body
	gzip    bool  // asked for by us
	expects bool  // the body waits for 100 Continue
	upload  *upload
}

// RoundTrip implements http.RoundTripper. A request that the server has not worked on is sent again on another
// connection, if its body can be had again. A server that does not choose HTTP/2 over TLS is refused with an error, and so
// is http unless Protocols has UnencryptedHTTP2 and not HTTP1: a Transport speaks no HTTP/1.1.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.init)
	length := bodyLength(req)
	err := t.check(req)
	var key h2client.Key
	if err == nil {
		key, err = t.key(req)
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		resp, again, err := t.attempt(req, key, length)
		if err == nil || !again || attempt == maxAttempts {
			return resp, err
		}
		next, rewound := rewind(req)
		if !rewound {
			return nil, err
		}
		if werr := pause(req.Context(), attempt); werr != nil {
			closeBody(next)
			return nil, werr
		}
		req = next
	}
}

// maxAttempts is how often a request is sent again.
const maxAttempts = 6

// pause waits before another attempt: not before the first, then longer and longer.
func pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return ctx.Err()
	}
	wait := time.Duration(float64(time.Second<<(attempt-1)) * (1 + 0.1*rand.Float64()))
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// rewind returns req with a body that was not read.
func rewind(req *http.Request) (*http.Request, bool) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, true
	}
	if req.GetBody == nil {
		return nil, false
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, false
	}
	next := *req
	next.Body = body
	return &next, true
}

// newCall returns a call that can be used.
func (t *Transport) newCall() *call {
	if k, ok := t.calls.Get().(*call); ok {
		return k
	}
	return &call{t: t}
}

// leave has one who uses k leave; after the last k is another's.
func (k *call) leave() {
	t := k.t
	if k.Leave(nil) {
		t.giveBack(k)
	}
}

func (t *Transport) giveBack(k *call) {
	clear(k.Fields)
	clear(k.Trailer)
	k.req, k.trace, k.upload = nil, nil, nil
	t.calls.Put(k)
}

// attempt sends req once. again: it may be tried again.
func (t *Transport) attempt(req *http.Request, key h2client.Key, length int64) (_ *http.Response, again bool, _ error) {
	ctx := req.Context()
	k := t.newCall()
	k.req, k.length, k.sends = req, length, length != 0
	k.trace = httptrace.ContextClientTrace(ctx)
	k.gzip = !t.DisableCompression && wantsGzip(req)
	k.expects = k.sends && t.ExpectContinueTimeout > 0 && expectsContinue(req)
	if k.expects {
		k.Expect()
	}
	k.traceGet(key)
	if k.sends {
		k.upload = newUpload(k)
	}
	if err := t.pool.Start(ctx, key, &k.Exchange, k, k.sends); err != nil {
		closeBody(req)
		t.giveBack(k)
		return nil, false, t.started(err)
	}
	reused := k.traceGot()
	if k.sends {
		go k.upload.run()
	} else if t.ResponseHeaderTimeout > 0 {
		k.Expire(t.ResponseHeaderTimeout)
	}
	if req.Close || hasToken(req.Header["Connection"], "close") {
		k.Conn().Close()
	}
	resp, err := k.response(ctx)
	if err == nil {
		return resp, false, nil
	}
	again = h2client.Untouched(err) || reused && replayable(req) && errors.Is(err, io.ErrUnexpectedEOF) && k.Unheard()
	again = again && ctx.Err() == nil
	if gone := k.Conn().GoAway(); again && !reused && gone != nil && gone.Code != http2.NoError {
		again, err = false, gone // a server that does so with the first request will do so again
	}
	if k.upload != nil {
		k.StopSending(errStopped)
		k.upload.stop()
	}
	k.leave()
	return nil, again, err
}

// started is why a request could not be begun.
func (t *Transport) started(err error) error {
	if err == h2client.ErrClosed {
		return errClosed
	}
	return err
}

var errClosed = errors.New("nethttp: the Transport is closed")

// response waits for the response.
func (k *call) response(ctx context.Context) (*http.Response, error) {
	for first := true; ; first = false {
		in, more, err := k.Await(ctx.Done())
		if err != nil {
			return nil, k.failed(ctx, err)
		}
		if first && k.trace != nil && k.trace.GotFirstResponseByte != nil {
			k.trace.GotFirstResponseByte()
		}
		if !more {
			return k.answer(ctx)
		}
		if err := k.traceInterim(in); err != nil {
			k.Cancel(http2.Cancel, err)
			return nil, err
		}
	}
}

// failed is what a request says that failed with err before its response.
func (k *call) failed(ctx context.Context, err error) error {
	switch {
	case err == h2client.ErrDone:
		err = context.Cause(ctx)
	case err == netconn.ErrSlow:
		err = errHeaderTimeout
	default:
		return err
	}
	k.Cancel(http2.Cancel, err)
	return err
}

// replayable tells whether a request can be sent twice without harm, as http.Transport judges that.
func replayable(req *http.Request) bool {
	switch req.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	_, a := req.Header["Idempotency-Key"]
	_, b := req.Header["X-Idempotency-Key"]
	return a || b
}
