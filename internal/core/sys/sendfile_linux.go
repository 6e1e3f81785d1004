package sys

import "syscall"

// SendFile sends at most most bytes of the file to the socket fd, without copying them through user memory. They begin at
// the offset at or, if that is negative, at the current position, which then moves. It may sleep for the disk, so the
// scheduler is told. n is 0 without an error at the end of the file. EAGAIN means that the socket, which must be
// non-blocking, takes nothing now.
func SendFile(fd, file int, at int64, most int) (n int, err syscall.Errno) {
	var from *int64
	if at >= 0 {
		from = &at
	}
	for {
		n, failed := syscall.Sendfile(fd, file, from, most)
		if errno := errnoOf(failed); errno != syscall.EINTR {
			return max(n, 0), errno
		}
	}
}
