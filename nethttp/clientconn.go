package nethttp

import (
	"context"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp/internal/roundtrip"
)

// ClientConn is a single connection to a server, for programs with a connection pool of their own: the Transport that
// has opened it sends nothing on it by itself. It is like http.ClientConn, which only package http can make. All
// methods may be called concurrently.
type ClientConn struct {
	t    *Transport
	conn *roundtrip.Conn
}

// NewClientConn opens a connection to address, a host with its port, through the Transport's proxy if it has one for
// that address. scheme is http or https. ctx bounds only the opening of the connection. The caller must close the
// connection: the Transport counts it neither as idle nor against its limits. Transport.Close closes it, too.
func (t *Transport) NewClientConn(ctx context.Context, scheme, address string) (*ClientConn, error) {
	c, err := t.ready().NewConn(ctx, scheme, address, t.Proxy)
	if err != nil {
		return nil, err
	}
	return &ClientConn{t, c}, nil
}

// RoundTrip implements http.RoundTripper. It sends the request on this connection, whatever its URL. It uses a
// reservation made with Reserve if there is one, and else waits until the connection can take the request.
func (cc *ClientConn) RoundTrip(req *http.Request) (*http.Response, error) {
	return cc.conn.RoundTrip(req, cc.t.options())
}

// Reserve reserves room for one request, which the next RoundTrip uses, whichever goroutine calls it. Release gives
// the reservation up. Reserve fails if there is no room now.
func (cc *ClientConn) Reserve() error { return cc.conn.Reserve() }

// Release gives up a reservation made with Reserve. It does nothing if there is none.
func (cc *ClientConn) Release() { cc.conn.Release() }

// Available returns the number of requests that can be sent without waiting; 0 if the connection has ended.
func (cc *ClientConn) Available() int { return cc.conn.Available() }

// InFlight returns the number of requests in progress and reservations; 0 if the connection has ended.
func (cc *ClientConn) InFlight() int { return cc.conn.InFlight() }

// Err returns why the connection takes no more requests, or nil while it does.
func (cc *ClientConn) Err() error { return cc.conn.Err() }

// SetStateHook sets f to be called when more requests can be sent than before, when a request has ended, and when the
// connection has ended. The goroutine that causes the change calls it, which may be one in RoundTrip or in Close of a
// Body. If such a change has happened already, f is called at once, on another goroutine. f is not called
// concurrently. It replaces an earlier hook; nil removes it.
func (cc *ClientConn) SetStateHook(f func(*ClientConn)) {
	if f == nil {
		cc.conn.SetStateHook(nil)
		return
	}
	cc.conn.SetStateHook(func() { f(cc) })
}

// Close closes the connection; requests in progress fail.
func (cc *ClientConn) Close() error { return cc.conn.Close() }
