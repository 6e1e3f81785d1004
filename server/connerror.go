package server

import (
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// connError wraps err, an error of reading from or writing to the connection, in a *net.OpError as package net does:
// programs look for that type and its texts. Errors that do not come from the connection are returned unchanged.
func connError(l link, op string, err error) error {
	switch err {
	case netconn.ErrSlow:
		err = os.ErrDeadlineExceeded
	case netconn.ErrAbort:
		err = net.ErrClosed
	default:
		if _, ok := err.(syscall.Errno); !ok {
			return err
		}
	}
	return netconn.OpError(op, err, l.LocalAddr(), l.RemoteAddr())
}

// WireError implements link.
func (l *h1Link) WireError(op string, err error) error { return connError(l, op, err) }

// WireError implements link. The words are those of net/http's handlers of HTTP/2, which programs compare.
func (m *h2Stream) WireError(op string, err error) error {
	if err == netconn.ErrSlow || err == net.ErrClosed {
		return connError(m, op, err)
	}
	if _, reset := errors.AsType[*h2conn.StreamError](err); reset {
		if op == "write" {
			return &wireError{"http2: stream closed", err}
		}
		return err
	}
	m.conn.Lock()
	over := m.conn.ErrLocked() != nil || m.conn.EndedLocked()
	m.conn.Unlock()
	if over {
		return &wireError{"client disconnected", connError(m, op, err)}
	}
	return err
}

// wireError is an error of HTTP/2 with the text that net/http has for it, and the error behind it.
type wireError struct {
	text  string
	cause error
}

// Error returns the text.
func (e *wireError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *wireError) Unwrap() error { return e.cause }

// connError is connError of the exchange's link.
func (x *exchange) connError(op string, err error) error { return connError(x.link, op, err) }

// opError returns the *net.OpError for err.
func (x *exchange) opError(op string, err error) error {
	return netconn.OpError(op, err, x.link.LocalAddr(), x.link.RemoteAddr())
}
