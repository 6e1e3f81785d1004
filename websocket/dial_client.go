package websocket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
	"github.com/shockwave-go/shockwave/websocket/internal/memconn"
)

// dialClient is dialOpen with Config.HTTPClient.
func (s *settings) dialClient(ctx context.Context, to *endpoint) (*opened, *http.Response, error) {
	req := to.request(s.Header)
	p, err := s.propose(req)
	if err != nil {
		return nil, nil, err
	}
	p.SetFields(req.Header)
	client := s.handshakeClient()
	if d := s.HTTPClient.Timeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	var below atomic.Pointer[net.Conn] // the last connection that the transport has used
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { below.Store(&i.Conn) }})
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // dialError adds the URL
		}
		return nil, resp, to.dialError(fmt.Errorf("handshake: %w", err))
	}
	a, refused := p.CheckResponse(resp)
	rwc, ok := resp.Body.(io.ReadWriteCloser)
	if refused == nil && !ok {
		refused = &handshake.Error{Status: resp.StatusCode, Msg: "the Transport of Config.HTTPClient does not return the connection as the response body"}
	}
	if refused != nil {
		resp.Body = clientRefusalBody(resp.Body)
		return nil, resp, handshakeError(refused)
	}
	resp.Body = http.NoBody
	return &opened{role: wsframe.Client, nc: clientConn(client, rwc, below.Load()), agreed: a}, resp, nil
}

// handshakeClient returns a copy of Config.HTTPClient for the handshake. It has no Timeout, which would also end the
// connection, and follows redirects to ws and wss.
func (s *settings) handshakeClient() *http.Client {
	client := *s.HTTPClient
	client.Timeout = 0
	if s.Jar != nil {
		client.Jar = s.Jar
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		req.URL.Scheme = strings.Replace(req.URL.Scheme, "ws", "http", 1)
		switch {
		case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme == "http":
			return errInsecure
		case s.HTTPClient.CheckRedirect != nil:
			return s.HTTPClient.CheckRedirect(req, via)
		case len(via) >= 10: // like net/http
			return errRedirects
		}
		return nil
	}
	return &client
}

var errRedirects = errors.New("stopped after 10 redirects")

// clientRefusalBody is refusalBody for the response of an http.Client. It closes body.
func clientRefusalBody(body io.ReadCloser) io.ReadCloser {
	late := time.AfterFunc(refusalBodyTimeout, func() { body.Close() })
	defer late.Stop()
	defer body.Close()
	text, _ := io.ReadAll(io.LimitReader(body, maxRefusalBody))
	return io.NopCloser(bytes.NewReader(text))
}

// clientConn makes a net.Conn of a response body. The body of net/http's own transport is the connection below, perhaps
// with bytes that have been read ahead. Any other body has no deadlines, so two goroutines copy between it and a
// connection in memory.
func clientConn(client *http.Client, rwc io.ReadWriteCloser, below *net.Conn) net.Conn {
	transport := client.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	if _, ok := transport.(*http.Transport); ok && below != nil {
		return &transportConn{*below, rwc}
	}
	near, far := memconn.Pair()
	go func() {
		io.Copy(far, rwc)
		far.Close()
	}()
	go func() {
		io.Copy(rwc, far)
		rwc.Close()
	}()
	return near
}

// transportConn is a connection that is read and written through the response body, because the transport may have read
// its first bytes.
type transportConn struct {
	net.Conn
	rwc io.ReadWriteCloser
}

func (g *transportConn) Read(p []byte) (int, error)  { return g.rwc.Read(p) }
func (g *transportConn) Write(p []byte) (int, error) { return g.rwc.Write(p) }
func (g *transportConn) Close() error                { return g.rwc.Close() }
