package server

import (
	"net"
	"os"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// connError wraps err, an error of reading from or writing to the connection, in a *net.OpError as package net does:
// programs look for that type and its texts. Errors that do not come from the connection are returned unchanged.
func (x *exchange) connError(op string, err error) error {
	switch err {
	case netconn.ErrSlow:
		err = os.ErrDeadlineExceeded
	case netconn.ErrAbort:
		err = net.ErrClosed
	default:
		errno, ok := err.(syscall.Errno)
		if !ok {
			return err
		}
		err = os.NewSyscallError(op, errno)
	}
	return x.opError(op, err)
}

// opError returns the *net.OpError for err.
func (x *exchange) opError(op string, err error) error {
	e := &net.OpError{Op: op, Source: x.link.LocalAddr(), Addr: x.link.RemoteAddr(), Err: err}
	if e.Source != nil {
		e.Net = e.Source.Network()
	}
	return e
}
