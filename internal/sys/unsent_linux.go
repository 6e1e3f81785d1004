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
