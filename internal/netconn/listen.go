package netconn

import (
	"context"
	"net"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// Keep-alive probes are as package net has them by default.
const (
	probeIdle     = 15 * time.Second
	probeInterval = 15 * time.Second
	probeCount    = 9
)

// Listen is net.Listen("tcp", addr). Where connections inherit the listener's keep-alive probes, they are set there and
// not once more for each connection, which takes four system calls.
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

// Labelled is a listener with a value of whoever serves on it. Config.New is given it as it is, and its connections are
// served as those of Listener.
type Labelled struct {
	net.Listener
	Label any
	// Accepting, if set, is called for each connection that is to be accepted, by one goroutine: it may wait, and returns what
	// accept does.
	Accepting func(accept func() (net.Conn, error)) (net.Conn, error)
}

// Accept implements net.Listener.
func (l *Labelled) Accept() (net.Conn, error) {
	if l.Accepting == nil {
		return l.Listener.Accept()
	}
	return l.Accepting(l.Listener.Accept)
}
