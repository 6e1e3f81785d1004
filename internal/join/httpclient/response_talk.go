package httpclient

import (
	"context"
	"errors"
)

// talk sends the rest of a request that has begun, and waits for the head of its final response. If a hook of the caller
// panics, or ends the goroutine, talk ends the exchange, so that its connection counts no longer.
func (r *Response) talk(ctx context.Context, k *Call) (err error) {
	ex, returned := r.ex, false
	defer func() {
		if !returned {
			r.abandon(k)
		}
	}()
	r.TLS = ex.tls()
	if k.Trace != nil {
		k.Trace.requestBegun(ex.info(), k.streams())
	}
	if k.streams() {
		r.upload = newUpload(k, ex)
		go r.upload.run(ctx)
	} else if rest := ex.unsent(); rest != nil {
		r.upload = newRestUpload(k, ex, rest)
		go r.upload.run(ctx)
	} else if k.Timeouts != nil && k.Timeouts.Head > 0 {
		ex.boundHead(k.Timeouts.Head)
	}
	err = ex.await(ctx, &r.message, r)
	if s := r.TLS; err == nil && s != nil && !s.HandshakeComplete {
		r.TLS = ex.tls() // the request was sent before the handshake was complete, which the response was not
	}
	if t := k.Trace; err == nil && t != nil && t.FirstByte != nil {
		t.FirstByte()
	}
	for err == nil && r.Status < 200 && r.Status != 101 {
		if err = r.passInterim(k); err == nil {
			err = ex.await(ctx, &r.message, r)
		}
	}
	returned = true
	return err
}

// abandon ends the exchange in place of the goroutines that use it: a hook has panicked.
func (r *Response) abandon(k *Call) {
	r.state.Store(closed)
	r.ex.cancel(r.turn, errAbandoned)
	switch {
	case r.upload != nil:
		r.upload.stop()
	case k.streams(), r.ex.unsent() != nil:
		k.closeBody()
		r.ex.leave() // in place of the goroutine that would have sent the body
	}
	r.leave()
}

var errAbandoned = errors.New("http: a hook of the request has panicked")

// passInterim passes an informational response to the caller.
func (r *Response) passInterim(k *Call) error {
	if k.Interim == nil {
		return nil
	}
	if err := k.Interim(r.Status, r.Header()); err != nil {
		return err
	}
	r.ex.resetInterim()
	return nil
}
