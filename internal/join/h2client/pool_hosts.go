package h2client

import "context"

// Key identifies connections that can be used in place of each other.
type Key struct {
	Secure bool   // TLS
	Host   string // with its port, unless that is the scheme's default
	Via    string // URL of the proxy; empty for none
	Only   bool   // the connection may use only HTTP/2
}

// hostPool holds the connections of one Key.
type hostPool struct {
	conns   []*Conn
	dialing *pendingDial
}

// pendingDial is a connection that is being opened.
type pendingDial struct {
	done    chan struct{}
	conn    *Conn // the result, once done is closed
	err     error
	waiters int
	cancel  context.CancelFunc
}
