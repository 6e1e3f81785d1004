package sys

import "golang.org/x/sys/unix"

// Unread returns how many bytes the socket fd has received that nobody has read, -1 if the kernel does not tell. The end of
// the stream does not count.
func Unread(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return -1
	}
	return n
}
