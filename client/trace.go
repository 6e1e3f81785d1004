package client

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// Trace holds functions that are called as a request proceeds. Each may be nil. They are called on various goroutines,
// perhaps after Do has returned, and should return soon. Redirects and retries start again with GetConn. The opening of a
// connection is reported to the request that has waited longest, although another request may get the connection in the
// end.
type Trace struct {
	GetConn   func(host string) // a connection is looked for; host includes the port unless it is the scheme's
	DialStart func(network, addr string)
	DialDone  func(network, addr string, err error)
	TLSStart  func()
	TLSDone   func(state tls.ConnectionState, err error)
	GotConn   func(conn ConnInfo)

	WroteHead    func()
	WaitContinue func()          // the body waits for 100 Continue
	WroteRequest func(err error) // the whole request has been sent, or err says why not
	FirstByte    func()          // of the response, or of an informational one
	PutIdle      func(err error) // a connection of HTTP/1.1 is kept for other requests, or err says why not

	Retry    func(attempt, status int, err error) // the request is sent again because of a status or an error
	Redirect func(status int, method, to string)  // a redirect is followed
}

// ConnInfo describes the connection of a request.
type ConnInfo struct {
	Conn     net.Conn      // for inspection only
	Reused   bool          // the connection has carried a request before
	IdleTime time.Duration // how long it was idle before
}

// traceKey is the key of a Trace in a context.
type traceKey struct{}

// traceOf returns the Trace in ctx. It is never nil.
func traceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return new(Trace)
}
