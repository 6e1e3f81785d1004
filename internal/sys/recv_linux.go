package sys

import "syscall"

// Available reports whether this package works on this system.
const Available = true

// RawLimit is the most bytes that a raw system call is asked to move.
const RawLimit = 64 << 10

// InqUnknown is what RecvInq says when the kernel did not tell how much is left.
const InqUnknown = -1

// tcpInq is Linux's TCP_INQ, which syscall lacks: as an option it asks for a control message of the same type with
// every recvmsg, an int that tells how many bytes are left to read.
const tcpInq = 36

// Recv receives into p what the socket fd holds, up to len(p) bytes. 0 bytes without an error is the end of the
// stream, unless p is empty. EAGAIN says that nothing is there.
//
// A short count proves that no more data was there; it does not prove that the end of the stream is not there.
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

// Peek tells without taking anything what Recv would: whether bytes are there, or the end of the stream, or an error. EAGAIN
// says that nothing is there.
func Peek(fd int) (n int, err syscall.Errno) {
	for {
		if n, err = peek(fd); err != syscall.EINTR {
			return n, err
		}
	}
}

// RecvInq is Recv on a socket for which SetInq has returned true. inq tells what the socket held when the call
// returned: 0 proves that neither a byte nor the end of the stream was there, so that the next event is still to
// come. After the end of the stream has arrived it is at least 1. It is InqUnknown after an error, and when the
// control message is missing.
//
// Do not call it on a unix socket: descriptors that the peer passes would be received and lost.
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

// SetInq asks the kernel to tell with every RecvInq on the TCP socket fd how much is left. It returns false where the
// kernel cannot (before Linux 4.18, and on sockets that are not TCP).
func SetInq(fd int) bool {
	return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, tcpInq, 1) == nil
}
