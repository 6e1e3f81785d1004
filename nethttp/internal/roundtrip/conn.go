package roundtrip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Conn is a single connection to a server, for programs with a connection pool of their own: the Transport that
// has opened it sends nothing on it by itself. It is like http.ClientConn, which only package http can make. All
// methods may be called concurrently.
//
//	available ── Reserve ──► reserved ── RoundTrip ──► running ── end of the response ──► available
//	    ▲                        │
//	    └──────── Release ───────┘
type Conn struct {
	t    *Engine
	key  httpclient.Key
	conn *httpclient.SingleConn

	mu       sync.Mutex
	reserved int
	running  int
	waiting  []chan struct{} // closed when the waiter may begin, or when the connection has ended
	closed   bool            // Close was called
	hook     stateHook
}

var (
	errConnClosed = errors.New("nethttp: the ClientConn is closed")
	errConnEnded  = fmt.Errorf("nethttp: the connection has ended: %w", net.ErrClosed)
	errConnFull   = errors.New("nethttp: the connection has no room for another request")
)

// NewConn opens a connection to address, a host with its port, through the Transport's proxy if it has one for
// that address. scheme is http or https. ctx bounds only the opening of the connection. The caller must close the
// connection: the Transport counts it neither as idle nor against its limits. Transport.Close closes it, too.
func (t *Engine) NewConn(ctx context.Context, scheme, address string, proxy Proxy) (*Conn, error) {
	if scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("net/http: invalid scheme %q", scheme)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, err
	}
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: scheme, Host: address, Path: "/"}, Header: http.Header{}, Host: address}
	key, err := t.connector.key(req.WithContext(ctx), proxy)
	if err != nil {
		return nil, err
	}
	o, err := t.openUntil(ctx, key)
	if err != nil {
		return nil, err
	}
	cc := &Conn{t: t, key: key}
	if cc.key.Version = httpclient.HTTP1; o.HTTP2 {
		cc.key.Version = httpclient.HTTP2
	}
	cc.mu.Lock() // so that changed waits until cc is complete
	defer cc.mu.Unlock()
	if cc.conn, err = t.client.SingleConn(cc.key, o, cc.changed); err != nil {
		return nil, err
	}
	cc.hook.last = cc.stateLocked()
	return cc, nil
}

// openUntil opens a connection. It returns when ctx is done; a connection that is opened after that is closed.
func (t *Engine) openUntil(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
	type result struct {
		o   httpclient.Opened
		err error
	}
	done := make(chan result)
	go func() {
		o, err := t.connector.open(ctx, key)
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

// RoundTrip implements http.RoundTripper. It sends the request on this connection, whatever its URL. It uses a
// reservation made with Reserve if there is one, and else waits until the connection can take the request.
func (cc *Conn) RoundTrip(req *http.Request, opt Options) (*http.Response, error) {
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
		return cc.t.do(req.Context(), route{cc.key, cc.conn, cc, &opt}, req, req)
	}
	closeBody(req)
	return nil, err
}

// enter waits until a request may begin, and counts it as running.
func (cc *Conn) enter(ctx context.Context) error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	for {
		if cc.reserved > 0 {
			cc.reserved--
			cc.running++
			cc.noteBegunLocked()
			return nil
		}
		s := cc.stateLocked()
		switch {
		case s.ended:
			return cc.endErrorLocked()
		case s.available > 0 && len(cc.waiting) == 0:
			cc.running++
			cc.noteBegunLocked()
			return nil
		}
		admitted := make(chan struct{})
		cc.waiting = append(cc.waiting, admitted)
		cc.mu.Unlock()
		select {
		case <-admitted:
		case <-ctx.Done():
		}
		cc.mu.Lock()
		if i := slices.Index(cc.waiting, admitted); i >= 0 {
			cc.waiting = slices.Delete(cc.waiting, i, i+1)
			return context.Cause(ctx)
		}
		if !cc.stateLocked().ended {
			return nil // admitLocked has counted it
		}
	}
}

// admitLocked lets waiting requests begin as far as the connection can take them, and counts them. If the connection
// has ended, it wakes all waiters.
func (cc *Conn) admitLocked() {
	for len(cc.waiting) > 0 {
		s := cc.stateLocked()
		if !s.ended && s.available == 0 {
			return
		}
		close(cc.waiting[0])
		if cc.waiting = cc.waiting[1:]; !s.ended {
			cc.running++
			cc.noteBegunLocked()
		}
	}
}

// leave is called at the end of a request that enter has counted.
func (cc *Conn) leave() {
	cc.mu.Lock()
	cc.running--
	cc.mu.Unlock()
	cc.changed()
}

// Reserve reserves room for one request, which the next RoundTrip uses, whichever goroutine calls it. Release gives
// the reservation up. Reserve fails if there is no room now.
func (cc *Conn) Reserve() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	switch s := cc.stateLocked(); {
	case s.ended:
		return cc.endErrorLocked()
	case s.available == 0:
		return errConnFull
	}
	cc.reserved++
	cc.noteBegunLocked()
	return nil
}

// Release gives up a reservation made with Reserve. It does nothing if there is none.
func (cc *Conn) Release() {
	cc.mu.Lock()
	cc.reserved = max(cc.reserved-1, 0)
	cc.mu.Unlock()
	cc.changed()
}

// Available returns the number of requests that can be sent without waiting; 0 if the connection has ended.
func (cc *Conn) Available() int {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	return cc.stateLocked().available
}

// InFlight returns the number of requests in progress and reservations; 0 if the connection has ended.
func (cc *Conn) InFlight() int {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	return cc.stateLocked().inFlight
}

// Err returns why the connection takes no more requests, or nil while it does.
func (cc *Conn) Err() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.stateLocked().ended {
		return cc.endErrorLocked()
	}
	return nil
}

// endErrorLocked returns the error of a connection that has ended.
func (cc *Conn) endErrorLocked() error {
	if cc.closed {
		return errConnClosed
	}
	return errConnEnded
}

// Close closes the connection; requests in progress fail.
func (cc *Conn) Close() error {
	cc.mu.Lock()
	cc.closed = true
	cc.mu.Unlock()
	cc.conn.Close()
	cc.changed()
	return nil
}

// Hold calls f while the state of the connection cannot change. It is for tests.
func (cc *Conn) Hold(f func()) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	f()
}
