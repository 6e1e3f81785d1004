package netconn

import (
	"net"
	"os"
	"syscall"
)

// OpError returns err as package net reports it: in a *net.OpError, and an error number in an *os.SyscallError in it.
// Programs look for these types and their texts. op is "read" or "write".
func OpError(op string, err error, local, remote net.Addr) error {
	if errno, ok := err.(syscall.Errno); ok {
		err = os.NewSyscallError(op, errno)
	}
	e := &net.OpError{Op: op, Source: local, Addr: remote, Err: err}
	if local != nil {
		e.Net = local.Network()
	}
	return e
}

// SystemError returns err as OpError does if it is an error number of the system, as reads and writes of sockets return.
// Otherwise it returns err itself.
func (l *line) SystemError(err error) error {
	errno, ok := err.(syscall.Errno)
	if !ok {
		return err
	}
	op := "read"
	if errno == syscall.EPIPE {
		op = "write"
	}
	return OpError(op, err, l.LocalAddr(), l.RemoteAddr())
}
