package transport

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// SocketMethods gives a connection that wraps another one what a *net.TCPConn has beside the methods of net.Conn: programs
// look for these by type assertion. Each is that of the connection below, and fails with errors.ErrUnsupported if that
// has no such method.
type SocketMethods struct{ Below net.Conn }

// SyscallConn implements syscall.Conn.
func (s SocketMethods) SyscallConn() (syscall.RawConn, error) {
	return valueOf(s.Below, syscall.Conn.SyscallConn)
}

// File returns a copy of the descriptor; see net.TCPConn.
func (s SocketMethods) File() (*os.File, error) { return valueOf(s.Below, filer.File) }

// MultipathTCP reports whether the connection uses MPTCP.
func (s SocketMethods) MultipathTCP() (bool, error) {
	return valueOf(s.Below, (*net.TCPConn).MultipathTCP)
}

// CloseRead shuts down the reading side.
func (s SocketMethods) CloseRead() error { return call(s.Below, halfCloser.CloseRead) }

// CloseWrite shuts down the writing side.
func (s SocketMethods) CloseWrite() error { return call(s.Below, halfCloser.CloseWrite) }

// SetNoDelay sets TCP_NODELAY.
func (s SocketMethods) SetNoDelay(on bool) error {
	return call(s.Below, func(c *net.TCPConn) error { return c.SetNoDelay(on) })
}

// SetKeepAlive sets whether the system sends keep-alive messages.
func (s SocketMethods) SetKeepAlive(on bool) error {
	return call(s.Below, func(c *net.TCPConn) error { return c.SetKeepAlive(on) })
}

// SetKeepAlivePeriod sets the time between keep-alive messages.
func (s SocketMethods) SetKeepAlivePeriod(d time.Duration) error {
	return call(s.Below, func(c *net.TCPConn) error { return c.SetKeepAlivePeriod(d) })
}

// SetKeepAliveConfig configures keep-alive messages.
func (s SocketMethods) SetKeepAliveConfig(cfg net.KeepAliveConfig) error {
	return call(s.Below, func(c *net.TCPConn) error { return c.SetKeepAliveConfig(cfg) })
}

// SetLinger sets what Close does with data that has not been sent.
func (s SocketMethods) SetLinger(sec int) error {
	return call(s.Below, func(c *net.TCPConn) error { return c.SetLinger(sec) })
}

// SetReadBuffer sets the size of the system's receive buffer.
func (s SocketMethods) SetReadBuffer(bytes int) error {
	return call(s.Below, func(c buffered) error { return c.SetReadBuffer(bytes) })
}

// SetWriteBuffer sets the size of the system's send buffer.
func (s SocketMethods) SetWriteBuffer(bytes int) error {
	return call(s.Below, func(c buffered) error { return c.SetWriteBuffer(bytes) })
}

type (
	filer      interface{ File() (*os.File, error) }
	halfCloser interface {
		CloseRead() error
		CloseWrite() error
	}
	buffered interface {
		SetReadBuffer(bytes int) error
		SetWriteBuffer(bytes int) error
	}
)

// call calls f with nc if nc is a T.
func call[T any](nc net.Conn, f func(T) error) error {
	if c, ok := nc.(T); ok {
		return f(c)
	}
	return errors.ErrUnsupported
}

// valueOf is call for a function that returns a value.
func valueOf[T, V any](nc net.Conn, f func(T) (V, error)) (v V, err error) {
	if c, ok := nc.(T); ok {
		return f(c)
	}
	return v, errors.ErrUnsupported
}
