package sys

import "syscall"

// The directions that Shutdown ends.
const (
	ShutRead  = syscall.SHUT_RD
	ShutWrite = syscall.SHUT_WR
	ShutBoth  = syscall.SHUT_RDWR
)

// Shutdown ends one or both directions of the connection of the socket fd; fd itself stays open. After ShutRead or
// ShutBoth a receive returns the end of the stream, including one that another goroutine is waiting for.
func Shutdown(fd, how int) syscall.Errno {
	return errnoOf(syscall.Shutdown(fd, how))
}

// Reset makes the close of the TCP socket fd discard data that has not been sent, and send a reset.
func Reset(fd int) syscall.Errno {
	return errnoOf(syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1}))
}

// errnoOf returns the error number of an error of package syscall.
func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return syscall.EINVAL
}
