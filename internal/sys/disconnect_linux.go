//go:build !386 && !s390x

package sys

import (
	"syscall"
	"unsafe"
)

// Disconnect ends the TCP connection of the socket fd at once: the peer gets a reset, what waits on fd gets an error.
// The descriptor stays open. Connecting a socket to no address family does that (connect(2)).
func Disconnect(fd int) syscall.Errno {
	var none syscall.RawSockaddrAny // its family is AF_UNSPEC
	_, _, err := syscall.RawSyscall(syscall.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none)), syscall.SizeofSockaddrInet4)
	return err
}
