package sys

import (
	"syscall"
	"unsafe"
)

// Unsent returns how many bytes given to the socket fd its peer has not acknowledged, -1 if the kernel does not report
// it.
func Unsent(fd int) int {
	var n int32
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n)))
	if err != 0 {
		return -1
	}
	return int(n)
}

// tcpNotSentLowat is TCP_NOTSENT_LOWAT.
const tcpNotSentLowat = 25

// LimitUnsent makes the TCP socket fd refuse output while it holds n bytes that it has not sent for the first time. Connections
// do not inherit it from their listener. It returns false if the system does not support that.
func LimitUnsent(fd, n int) bool {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, tcpNotSentLowat, n) == nil
}
