package sys

import "syscall"

// msgMore is Linux's MSG_MORE, which syscall lacks.
const msgMore = 0x8000

// Send gives p to the socket fd and returns how much of it was taken: possibly less than all. EAGAIN says that the
// socket is full, EPIPE that the stream was shut down; no signal is raised. more says that something else follows at
// once: on TCP p may wait in the socket for that, for the end of the stream or for 200 ms, so that it needs no segment of
// its own.
func Send(fd int, p []byte, more bool) (n int, err syscall.Errno) {
	sending(p)
	for {
		n, err = sendto(fd, p, more)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// SendTwo gives a and then b to the socket fd, in one system call where the system allows it, and returns how many
// bytes of the two together were taken.
func SendTwo(fd int, a, b []byte) (n int, err syscall.Errno) {
	sending(a)
	sending(b)
	for {
		n, err = sendTwo(fd, a, b)
		if err != syscall.EINTR {
			return n, err
		}
	}
}
