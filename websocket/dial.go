package websocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Dial opens a connection to a URL of scheme ws or wss, for which http and https may stand (RFC 6455 §3, §4.1). A user
// in the URL becomes an Authorization field, unless Config.Header has one.
//
// Dial ends with ctx, or after Config.HandshakeTimeout; what it returned does not. The response is there when the
// server has answered, in good order or not: its Body need not be closed, and is empty or, when the server refused,
// the first KiB of what it said. The error is then a *HandshakeError; that of a proxy which refuses is a *ProxyError. No
// goroutine and no socket is left of a Dial that failed.
func Dial(ctx context.Context, url string, cfg Config) (*Conn, *http.Response, error) {
	s := cfg.settings()
	o, resp, err := s.dialOpen(ctx, url)
	c, err := s.open(o, err)
	return c, resp, err
}

// dialOpen is Dial up to the end of the handshake.
func (s *settings) dialOpen(ctx context.Context, url string) (*opened, *http.Response, error) {
	if s.HandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.HandshakeTimeout)
		defer cancel()
	}
	to, err := parsePlace(url)
	if err != nil {
		return nil, nil, err
	}
	if s.HTTPClient != nil {
		return s.dialClient(ctx, to)
	}
	header := s.Header
	for left := s.Redirects; ; left-- {
		o, resp, err := s.dial(ctx, to, header)
		if err == nil || left <= 0 || !isRedirect(resp) {
			return o, resp, err
		}
		if to, header, err = to.follow(resp, header); err != nil {
			return nil, resp, err
		}
	}
}

// dial is dialOpen to one place.
func (s *settings) dial(ctx context.Context, to *place, header http.Header) (*opened, *http.Response, error) {
	req := to.request(header)
	s.addCookies(to, req)
	p := s.propose()
	hello, err := s.appendRequest(nil, to, req, p)
	if err != nil {
		return nil, nil, err
	}
	t, err := s.target(to, req)
	if err != nil {
		return nil, nil, err
	}
	nc, err := connect(ctx, t)
	if err != nil {
		return nil, nil, to.failed(err)
	}
	stop := dial.Watch(ctx, nc)
	r, in, err := converse(nc, hello)
	if err != nil {
		dial.Cut(nc)
		return nil, nil, to.failed(fmt.Errorf("handshake: %w", stop(err)))
	}
	resp := response(r, req, nc)
	s.keepCookies(to, resp)
	a, refused := s.judge(resp, p)
	if refused != nil {
		resp.Body = said(nc, r, in)
		stop(nil)
		dial.Cut(nc)
		return nil, resp, refused
	}
	if err := stop(nil); err != nil {
		return nil, resp, to.failed(fmt.Errorf("handshake: %w", err))
	}
	return &opened{role: wsframe.Client, nc: nc, ahead: in.Unread(), agreed: a}, resp, nil
}

var errSpokeFirst = errors.New("bytes through the proxy before the request")

// connect opens the connection to the server.
func connect(ctx context.Context, t *dial.Target) (net.Conn, error) {
	nc, ahead, err := t.Dial(ctx)
	if err == nil && len(ahead) > 0 {
		dial.Cut(nc)
		err = errSpokeFirst
	}
	return nc, err
}

// failed returns the error of a way to p that led nowhere.
func (p *place) failed(err error) error {
	if refused, ok := errors.AsType[*dial.ProxyError](err); ok {
		return &ProxyError{Status: refused.Status, Msg: refused.Msg}
	}
	return fmt.Errorf("websocket: %s: %w", p.name, err)
}

// converse sends the request and returns the head of the answer, and what comes behind it.
func converse(nc net.Conn, hello []byte) (*http1.Response, *httpread.Buffer, error) {
	if _, err := nc.Write(hello); err != nil {
		return nil, nil, err
	}
	in, r := httpread.NewBuffer(nc, 1<<10), &http1.Response{}
	n, err := httpread.ResponseHead(in, r, http.MethodGet)
	if err != nil {
		return nil, nil, err
	}
	in.Take(n)
	return r, in, nil
}
