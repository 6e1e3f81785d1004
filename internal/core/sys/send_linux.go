package sys

import "syscall"

// msgMore is Linux's MSG_MORE, which package syscall lacks.
const msgMore = 0x8000

// Send sends p to the socket fd and returns how many bytes the socket took, which may be less than all. EAGAIN means
// that the socket is full, EPIPE that the stream was shut down; no signal is raised. more says that more data follows
// at once: on TCP, p may wait in the socket for that data, for the end of the stream or for 200 ms, so that it does not
// need a segment of its own.
func Send(fd int, p []byte, more bool) (n int, err syscall.Errno) {
	sending(p)
	for {
		n, err = sendto(fd, p, more)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// SendTwo sends a and then b to the socket fd, in one system call if the system allows it, and returns how many bytes
// of the two together the socket took.
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
