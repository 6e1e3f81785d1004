package sys

import "syscall"

// msgMore is Linux's MSG_MORE, which syscall lacks.
const msgMore = 0x8000

// Send gives p to the socket fd and returns how much of it was taken: possibly less than all. EAGAIN says that the
// socket is full, EPIPE that the stream was shut down; no signal is raised.
func Send(fd int, p []byte) (n int, err syscall.Errno) {
	sending(p)
	for {
		n, err = sendto(fd, p, 0)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// SendMore is Send of what something else follows at once. On TCP it may wait in the socket for that, for the end of
// the stream or for 200 ms, so that it needs no segment of its own.
func SendMore(fd int, p []byte) (n int, err syscall.Errno) {
	sending(p)
	for {
		n, err = sendto(fd, p, msgMore)
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
