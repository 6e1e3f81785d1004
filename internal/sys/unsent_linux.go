package sys

import (
	"syscall"
	"unsafe"
)

// Unsent returns how many bytes were given to the socket fd that its peer has not acknowledged yet, -1 if the kernel
// does not tell.
func Unsent(fd int) int {
	var n int32
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n)))
	if err != 0 {
		return -1
	}
	return int(n)
}
