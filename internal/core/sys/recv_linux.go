package sys

import "syscall"

// Available reports whether this package works on this system.
const Available = true

// RawLimit is the maximum number of bytes that a raw system call moves.
const RawLimit = 64 << 10

// InqUnknown is the inq result of RecvInq if the kernel did not report it.
const InqUnknown = -1

// tcpInq is Linux's TCP_INQ, which package syscall lacks. As a socket option it asks for a control message of the same
// type with every recvmsg: an int that says how many bytes are left to read.
const tcpInq = 36

// Recv receives up to len(p) bytes from the socket fd into p. 0 bytes without an error means the end of the stream,
// unless p is empty. EAGAIN means that there is nothing to receive.
//
// A short count proves that there was no more data. It does not prove that the end of the stream has not arrived.
func Recv(fd int, p []byte) (n int, err syscall.Errno) {
	for {
		n, err = recvfrom(fd, p)
		if err != syscall.EINTR {
			break
		}
	}
	received(fd, p[:n], err)
	return n, err
}

// Peek reports what Recv would return, without taking data: n > 0 for bytes, 0 for the end of the stream, or an error.
// EAGAIN means that there is nothing to receive.
func Peek(fd int) (n int, err syscall.Errno) {
	for {
		if n, err = peek(fd); err != syscall.EINTR {
			return n, err
		}
	}
}

// RecvInq is Recv on a socket for which SetInq has returned true. inq is how many bytes the socket held when the call
// returned: 0 proves that neither a byte nor the end of the stream had arrived, so that the next event is still to
// come. After the end of the stream has arrived it is at least 1. It is InqUnknown after an error, and if the control
// message is missing.
//
// RecvInq must not be called on a unix socket: file descriptors sent by the peer would be received and lost.
func RecvInq(fd int, p []byte) (n, inq int, err syscall.Errno) {
	for {
		n, inq, err = recvmsg(fd, p)
		if err != syscall.EINTR {
			break
		}
	}
	received(fd, p[:n], err)
	return n, inq, err
}

// SetInq makes the kernel report with every RecvInq on the TCP socket fd how much is left. It returns false if the
// kernel cannot (before Linux 4.18, and on sockets that are not TCP).
func SetInq(fd int) bool {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, tcpInq, 1) == nil
}
