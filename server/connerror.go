package server

import (
	"net"
	"os"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// connError returns err, which reading or writing the connection has failed with, as package net says it: programs look
// for a *net.OpError and its words. What is not the connection's own stays as it is.
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
	e := &net.OpError{Op: op, Source: x.link.LocalAddr(), Addr: x.link.RemoteAddr(), Err: err}
	if e.Source != nil {
		e.Net = e.Source.Network()
	}
	return e
}
