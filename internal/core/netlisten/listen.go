// Package netlisten opens listeners and deals with what they return: connections, and errors that may go away.
package netlisten

import (
	"context"
	"net"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Keep-alive probes as package net configures them by default.
const (
	probeIdle     = 15 * time.Second
	probeInterval = 15 * time.Second
	probeCount    = 9
)

// Listen is net.Listen("tcp", addr). Where accepted connections inherit the listener's keep-alive settings, Listen sets
// them once on the listener. Setting them on every connection takes four system calls each.
func Listen(addr string) (net.Listener, error) {
	inherit := true
	own := net.ListenConfig{KeepAlive: -1, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) {
			inherit = inherit && sys.InheritKeepAlive(int(fd), probeIdle, probeInterval, probeCount)
		})
	}}
	l, err := own.Listen(context.Background(), "tcp", addr)
	if inherit {
		return l, err
	}
	if err == nil {
		l.Close()
	}
	return net.Listen("tcp", addr)
}

// Labelled is a listener with a label for the caller of Serve. Config.New receives the Labelled itself, and its
// connections are served like those of the listener it embeds.
type Labelled struct {
	net.Listener
	Label any
	// Accepting, if set, wraps the accept of each connection. It runs on one goroutine, may block, and returns the
	// result of accept.
	Accepting func(accept func() (net.Conn, error)) (net.Conn, error)
}

// Accept implements net.Listener.
func (l *Labelled) Accept() (net.Conn, error) {
	if l.Accepting == nil {
		return l.Listener.Accept()
	}
	return l.Accepting(l.Listener.Accept)
}
