package nethttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// ClientConn is a connection to a server for those who keep pools of their own: the Transport that has opened it sends
// nothing on it by itself. It is like http.ClientConn, which package http alone can make. All methods may be called
// concurrently.
//
//	available ── Reserve ──► reserved ── RoundTrip ──► running ── the response's end ──► available
//	    ▲                        │
//	    └──────── Release ───────┘
type ClientConn struct {
	t    *Transport
	key  httpclient.Key
	conn *httpclient.Alone

	mu       sync.Mutex
	reserved int
	running  int
	waiting  []chan struct{} // closed when there is room, or never will be
	closed   bool            // by Close
	hook     stateHook
}

var (
	errConnClosed = errors.New("nethttp: the ClientConn is closed")
	errConnEnded  = fmt.Errorf("nethttp: the connection has ended: %w", net.ErrClosed)
	errConnFull   = errors.New("nethttp: the connection takes no more requests at once")
)

// NewClientConn opens a connection to address, a host with its port, through the Transport's proxy if it has one for that;
// scheme is http or https. ctx bounds the opening. The caller closes it: it is not among the idle ones, and not counted.
// Close of the Transport ends it, too.
func (t *Transport) NewClientConn(ctx context.Context, scheme, address string) (*ClientConn, error) {
	t.once.Do(t.init)
	if scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("net/http: invalid scheme %q", scheme)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, err
	}
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: scheme, Host: address, Path: "/"}, Header: http.Header{}, Host: address}
	key, err := t.key(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	o, err := t.openUntil(ctx, key)
	if err != nil {
		return nil, err
	}
	cc := &ClientConn{t: t, key: key}
	if cc.key.Version = httpclient.HTTP1; o.HTTP2 {
		cc.key.Version = httpclient.HTTP2
	}
	cc.mu.Lock() // changed waits
	defer cc.mu.Unlock()
	if cc.conn, err = t.client.Alone(cc.key, o, cc.changed); err != nil {
		return nil, err
	}
	cc.hook.last = cc.state()
	return cc, nil
}

// openUntil opens a connection. When ctx ends it returns, and the connection that comes too late is closed.
func (t *Transport) openUntil(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
	type result struct {
		o   httpclient.Opened
		err error
	}
	done := make(chan result)
	go func() {
		o, err := t.open(ctx, key)
		select {
		case done <- result{o, err}:
		case <-ctx.Done():
			if err == nil {
				o.Conn.Close()
			}
		}
	}()
	select {
	case r := <-done:
		return r.o, r.err
	case <-ctx.Done():
		return httpclient.Opened{}, context.Cause(ctx)
	}
}

// RoundTrip implements http.RoundTripper: the request is sent on this connection, whatever its URL says. It takes the place
// that was reserved first, if there is one, and else waits for room.
func (cc *ClientConn) RoundTrip(req *http.Request) (*http.Response, error) {
	err := checkRequest(req)
	if err == nil {
		err = checkHTTP(req)
	}
	if err == nil && req.Context().Err() != nil {
		err = context.Cause(req.Context())
	}
	if err != nil {
		cc.Release()
	} else if err = cc.enter(req.Context()); err == nil {
		return cc.t.do(req.Context(), route{cc.key, cc.conn, cc}, req, req)
	}
	closeBody(req)
	return nil, err
}

// enter waits until a request may begin.
func (cc *ClientConn) enter(ctx context.Context) error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	for {
		if cc.reserved > 0 {
			cc.reserved--
			cc.running++
			cc.noteBegun()
			return nil
		}
		s := cc.state()
		switch {
		case s.ended:
			return cc.endError()
		case s.available > 0 && len(cc.waiting) == 0:
			cc.running++
			cc.noteBegun()
			return nil
		}
		told := make(chan struct{})
		cc.waiting = append(cc.waiting, told)
		cc.mu.Unlock()
		select {
		case <-told:
		case <-ctx.Done():
		}
		cc.mu.Lock()
		if i := slices.Index(cc.waiting, told); i >= 0 {
			cc.waiting = slices.Delete(cc.waiting, i, i+1)
			return context.Cause(ctx)
		}
		if !cc.state().ended {
			return nil // who told has counted it
		}
	}
}

// admit tells those to come for whom there is room, or all if there never will be any. The lock is held.
func (cc *ClientConn) admit() {
	for len(cc.waiting) > 0 {
		s := cc.state()
		if !s.ended && s.available == 0 {
			return
		}
		close(cc.waiting[0])
		if cc.waiting = cc.waiting[1:]; !s.ended {
			cc.running++
			cc.noteBegun()
		}
	}
}

// leave is called when a request is over that has entered.
func (cc *ClientConn) leave() {
	cc.mu.Lock()
	cc.running--
	cc.mu.Unlock()
	cc.changed()
}

// Reserve has the next RoundTrip, whoever calls it, find room. Release undoes that. It fails if there is none now.
func (cc *ClientConn) Reserve() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	switch s := cc.state(); {
	case s.ended:
		return cc.endError()
	case s.available == 0:
		return errConnFull
	}
	cc.reserved++
	cc.noteBegun()
	return nil
}

// Release gives up what Reserve has reserved; it does nothing if nothing is.
func (cc *ClientConn) Release() {
	cc.mu.Lock()
	cc.reserved = max(cc.reserved-1, 0)
	cc.mu.Unlock()
	cc.changed()
}

// Available returns how many requests can be sent without waiting; 0 when the connection has ended.
func (cc *ClientConn) Available() int {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	return cc.state().available
}

// InFlight returns how many requests are under way, those reserved included; 0 when the connection has ended.
func (cc *ClientConn) InFlight() int {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	return cc.state().inFlight
}

// Err returns why the connection takes no more requests, nil as long as it does.
func (cc *ClientConn) Err() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.state().ended {
		return cc.endError()
	}
	return nil
}

// endError is Err of a connection that is over. The lock is held.
func (cc *ClientConn) endError() error {
	if cc.closed {
		return errConnClosed
	}
	return errConnEnded
}

// Close ends the connection; requests that are under way fail.
func (cc *ClientConn) Close() error {
	cc.mu.Lock()
	cc.closed = true
	cc.mu.Unlock()
	cc.conn.Close()
	cc.changed()
	return nil
}
