//go:build race

package sys

import (
	"runtime"
	"syscall"
	"unsafe"
)

// For the race detector, a Write on one connection happens before a Read on any other, through a variable in package
// syscall. Raw calls bypass it. These two functions touch that variable by calls that move no data, and report the
// memory that the kernel has written or read.

// received is called after a receive into p.
func received(fd int, p []byte, err syscall.Errno) {
	if len(p) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&p[0]), len(p))
	}
	if err == 0 {
		// Reading no bytes from a socket succeeds at once, in any state.
		_, _ = syscall.Read(fd, nil)
	}
}

// sending is called before p is sent.
func sending(p []byte) {
	// A write to an invalid descriptor fails, but only after package syscall has touched the variable.
	_, _ = syscall.Write(-1, nil)
	if len(p) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&p[0]), len(p))
	}
}
