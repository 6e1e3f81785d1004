package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// isRedirect reports whether the response may be a redirect to follow.
func (r *Response) isRedirect() bool {
	s := r.raw.Status
	return s >= 301 && s <= 308 && r.client.cfg.MaxRedirects >= 0 && r.Header().Has("Location")
}

// follow follows redirects until a response is final, and returns that.
func (r *Response) follow(ctx context.Context) (last *Response, err error) {
	defer func() {
		if last == nil { // a hook has panicked
			r.raw.Close()
		}
	}()
	first, err := url.Parse(r.head.to.text)
	if err != nil {
		return r, err
	}
	chain := newRedirectChain(r.head.method, first, r.client.cfg.MaxRedirects)
	rewind := r.call.Rewind
	oneShotBody := r.call.Body != nil && rewind == nil
	for r.isRedirect() {
		from, location := chain.last.url, r.Header().GetString("Location")
		h, err := chain.next(r.raw.Status, location, oneShotBody)
		if err != nil || h == nil {
			return r, err
		}
		if ask := r.client.cfg.OnRedirect; ask != nil {
			err := ask(r.raw.Status, r.Header(), h.method, h.url.String())
			if errors.Is(err, http.ErrUseLastResponse) {
				return r, nil
			}
			if err != nil {
				return r, err
			}
		}
		r.client.stats.redirects.Add(1)
		if t := r.trace; t != nil && t.Redirect != nil {
			t.Redirect(r.raw.Status, h.method, redacted(h.url.String()))
		}
		r = r.renew(h.body)
		if err := r.retarget(h, from, rewind); err != nil {
			return r, err
		}
		if r, err = r.send(ctx); err != nil {
			return r, err
		}
	}
	return r, nil
}

// renew closes the response and returns the Response for the next request: r itself, or a new one if r's body is still
// being sent. resends says that the body will be sent again: renew then waits until it is not read any more.
func (r *Response) renew(resends bool) *Response {
	r.raw.Close()
	r.sending.Wait()
	if resends {
		r.raw.AwaitSent()
	}
	if r.refs.Load() == 1 {
		return r
	}
	next := r.client.response()
	next.head, r.head = r.head, next.head
	next.cancel, r.cancel = r.cancel, nil
	if next.head.req == &r.own {
		next.own, r.own = r.own, Request{}
		next.head.req = &next.own
	}
	// The fields of r.call that the sending goroutine uses stay.
	k, old := &next.call, &r.call
	k.Body, k.Bytes, k.Length, k.Trailer, k.Expect = old.Body, old.Bytes, old.Length, old.Trailer, old.Expect
	r.Close()
	return next
}

// retarget changes the request to the one that a redirect asks for.
func (r *Response) retarget(h *hop, from *url.URL, rewind func() (io.ReadCloser, error)) error {
	head := &r.head
	if err := head.to.parse(h.url.String()); err != nil {
		return err
	}
	head.redirect, head.method = true, h.method
	head.dropCredentials, head.dropBodyFields = !h.credentials, !h.body
	head.referer = referer(from, h.url, head.req.Header.GetString("Referer"))
	head.host = head.to.host
	if own := head.req.Host; own != "" && h.ownHost {
		head.host = own
	}
	head.login = head.login[:0]
	if head.to.hasUser && (!head.fields.login || head.dropCredentials) {
		head.setLogin(head.to.user)
	}
	r.status = ""
	r.setCookies()
	if err := r.rewindBody(h.body, rewind); err != nil {
		return err
	}
	return r.setCall()
}

// rewindBody prepares the body to be sent again, or removes it if body is false.
func (r *Response) rewindBody(body bool, rewind func() (io.ReadCloser, error)) (err error) {
	k, head := &r.call, &r.head
	switch {
	case !body:
		k.Body, k.Bytes, k.Rewind, k.Trailer, k.Length, k.Expect = nil, nil, nil, nil, 0, 0
		head.length, head.chunked, head.expects, head.trailer = -1, false, false, nil
	case k.Body != nil:
		k.Rewind = rewind
		k.Body, err = rewind()
	}
	return err
}
