//go:build race

package sys

import (
	"runtime"
	"syscall"
	"unsafe"
)

// The race detector takes a Write on one connection to happen before a Read on any other, by one variable inside
// package syscall. Raw calls go past it. These two functions touch that variable by calls that move nothing, and
// report the memory that the kernel wrote or read.

// received is called after a receive into p.
func received(fd int, p []byte, err syscall.Errno) {
	if len(p) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&p[0]), len(p))
	}
	if err == 0 {
		// Reading nothing from a socket succeeds at once, whatever state it is in.
		_, _ = syscall.Read(fd, nil)
	}
}

// sending is called before p is sent.
func sending(p []byte) {
	// A write to no descriptor fails, but only after the release.
	_, _ = syscall.Write(-1, nil)
	if len(p) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&p[0]), len(p))
	}
}
