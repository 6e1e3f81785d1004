package websocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Dial opens a connection to a URL with the scheme ws or wss; http and https mean the same (RFC 6455 §3, §4.1). A user
// in the URL is sent in an Authorization field, unless Config.Header has one.
//
// ctx and Config.HandshakeTimeout bound the dial and the handshake, not the connection. The response is not nil if the
// server has sent one, whether it accepted or refused. Its Body need not be closed; it has the first KiB of the server's
// text if the server refused, and is empty otherwise. The error is a *HandshakeError if the server refused, and a
// *ProxyError if a proxy did. A Dial that fails leaves no goroutine and no socket behind.
func Dial(ctx context.Context, url string, cfg Config) (*Conn, *http.Response, error) {
	s := cfg.settings()
	o, resp, err := s.dialOpen(ctx, url)
	c, err := s.open(o, err)
	return c, resp, err
}

// dialOpen makes the whole handshake of Dial.
func (s *settings) dialOpen(ctx context.Context, url string) (*opened, *http.Response, error) {
	if s.HandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.HandshakeTimeout)
		defer cancel()
	}
	to, err := parseEndpoint(url)
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

// dial makes the handshake with one endpoint.
func (s *settings) dial(ctx context.Context, to *endpoint, header http.Header) (*opened, *http.Response, error) {
	req := to.request(header)
	s.addCookies(to, req)
	p, err := s.propose(req)
	if err != nil {
		return nil, nil, err
	}
	hello, err := p.AppendRequest(nil, req)
	if err != nil {
		return nil, nil, fmt.Errorf("websocket: %w", err)
	}
	t, err := s.target(to, req)
	if err != nil {
		return nil, nil, err
	}
	nc, err := connect(ctx, t)
	if err != nil {
		return nil, nil, to.dialError(err)
	}
	stop := dial.Watch(ctx, nc)
	r, in, err := exchange(nc, hello)
	if err != nil {
		dial.Cut(nc)
		return nil, nil, to.dialError(fmt.Errorf("handshake: %w", stop(err)))
	}
	resp := response(r, req, nc)
	s.keepCookies(to, resp)
	a, refused := p.CheckResponse(resp)
	if refused != nil {
		resp.Body = refusalBody(nc, r, in)
		stop(nil)
		dial.Cut(nc)
		return nil, resp, handshakeError(refused)
	}
	if err := stop(nil); err != nil {
		return nil, resp, to.dialError(fmt.Errorf("handshake: %w", err))
	}
	return &opened{role: wsframe.Client, nc: nc, ahead: in.Unread(), agreed: a}, resp, nil
}

var errSpokeFirst = errors.New("received bytes through the proxy before the request was sent")

// connect opens the connection to the server.
func connect(ctx context.Context, t *dial.Target) (net.Conn, error) {
	nc, ahead, err := t.Dial(ctx)
	if err == nil && len(ahead) > 0 {
		dial.Cut(nc)
		err = errSpokeFirst
	}
	return nc, err
}

// dialError adds the URL to the error of a failed dial.
func (p *endpoint) dialError(err error) error {
	if refused, ok := errors.AsType[*dial.ProxyError](err); ok {
		return &ProxyError{Status: refused.Status, Msg: refused.Msg}
	}
	return fmt.Errorf("websocket: %s: %w", p.name, err)
}

// exchange sends the request and reads the head of the response. The returned buffer may hold bytes that follow the
// head.
func exchange(nc net.Conn, hello []byte) (*http1.Response, *httpread.Buffer, error) {
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
