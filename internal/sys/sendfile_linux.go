package sys

import "syscall"

// SendFile sends at most most bytes from the current position of the file to the socket fd, without copying them
// through user memory, and moves the position. It may sleep for the disk, so the scheduler is told. n is 0 without an
// error at the end of the file. EAGAIN means that the socket, which must be non-blocking, takes nothing now.
func SendFile(fd, file, most int) (n int, err syscall.Errno) {
	for {
		n, failed := syscall.Sendfile(fd, file, nil, most)
		if errno := errnoOf(failed); errno != syscall.EINTR {
			return max(n, 0), errno
		}
	}
}
