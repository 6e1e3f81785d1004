package sys

import "golang.org/x/sys/unix"

// Unread returns how many received bytes of the socket fd have not been read, -1 if the kernel does not report it. The
// end of the stream does not count.
func Unread(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return -1
	}
	return n
}
