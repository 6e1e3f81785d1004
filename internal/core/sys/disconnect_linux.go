//go:build !386 && !s390x

package sys

import (
	"syscall"
	"unsafe"
)

// Disconnect ends the TCP connection of the socket fd at once: the peer gets a reset, and calls that wait on fd fail.
// The descriptor stays open. It connects the socket to an address of family AF_UNSPEC, which has this effect
// (connect(2)).
func Disconnect(fd int) syscall.Errno {
	var none syscall.RawSockaddrAny // the zero family is AF_UNSPEC
	_, _, err := syscall.RawSyscall(syscall.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&none)), syscall.SizeofSockaddrInet4)
	return err
}
