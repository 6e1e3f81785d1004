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

	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// dialClient is dialOpen through Config.HTTPClient.
func (s *settings) dialClient(ctx context.Context, to *place) (*opened, *http.Response, error) {
	p := s.propose()
	req, err := s.clientRequest(to, p)
	if err != nil {
		return nil, nil, err
	}
	client := s.client()
	if d := s.HTTPClient.Timeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	var below atomic.Pointer[net.Conn] // the last that the transport has used
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { below.Store(&i.Conn) }})
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // the URL is told already
		}
		return nil, resp, to.failed(fmt.Errorf("handshake: %w", err))
	}
	a, refused := s.judge(resp, p)
	rwc, ok := resp.Body.(io.ReadWriteCloser)
	if refused == nil && !ok {
		refused = &HandshakeError{resp.StatusCode, "Config.HTTPClient's Transport does not give the connection away"}
	}
	if refused != nil {
		resp.Body = saidTo(resp.Body)
		return nil, resp, refused
	}
	resp.Body = http.NoBody
	return &opened{role: wsframe.Client, nc: clientConn(client, rwc, below.Load()), agreed: a}, resp, nil
}

// clientRequest returns the request with the fields of the handshake (RFC 6455 §4.1).
func (s *settings) clientRequest(to *place, p *proposal) (*http.Request, error) {
	req := to.request(s.Header)
	if _, err := s.appendRequest(nil, to, req, p); err != nil { // it refuses what cannot be sent
		return nil, err
	}
	h := req.Header
	h["Upgrade"], h["Connection"] = []string{"websocket"}, []string{"Upgrade"}
	h["Sec-WebSocket-Version"], h["Sec-WebSocket-Key"] = []string{"13"}, []string{p.key}
	if len(s.Subprotocols) > 0 {
		h["Sec-WebSocket-Protocol"] = []string{strings.Join(s.Subprotocols, ", ")}
	}
	if len(p.offers) > 0 {
		h["Sec-WebSocket-Extensions"] = []string{string(appendOffers(nil, p.offers))}
	}
	return req, nil
}

// client returns Config.HTTPClient as a handshake needs it: its time is over with the handshake, and redirects may lead to
// ws and wss.
func (s *settings) client() *http.Client {
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
		case len(via) >= 10: // as net/http has it
			return errRedirects
		}
		return nil
	}
	return &client
}

var errRedirects = errors.New("stopped after 10 redirects")

// saidTo is said for the body of a client's response, which it closes.
func saidTo(body io.ReadCloser) io.ReadCloser {
	late := time.AfterFunc(saidTime, func() { body.Close() })
	defer late.Stop()
	defer body.Close()
	text, _ := io.ReadAll(io.LimitReader(body, maxSaid))
	return io.NopCloser(bytes.NewReader(text))
}

// clientConn makes a net.Conn of what a client's transport gives away. Of net/http's own transport it is known that it is
// the connection below, for which bytes may have been read ahead.
func clientConn(client *http.Client, rwc io.ReadWriteCloser, below *net.Conn) net.Conn {
	transport := client.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	if _, ok := transport.(*http.Transport); ok && below != nil {
		return &givenConn{*below, rwc}
	}
	near, far := memoryPair()
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

// givenConn is a connection of which a transport has the first bytes.
type givenConn struct {
	net.Conn
	rwc io.ReadWriteCloser
}

func (g *givenConn) Read(p []byte) (int, error)  { return g.rwc.Read(p) }
func (g *givenConn) Write(p []byte) (int, error) { return g.rwc.Write(p) }
func (g *givenConn) Close() error                { return g.rwc.Close() }
