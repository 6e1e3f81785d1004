//go:build noasm || !(amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64)

package sys

import (
	"syscall"
	"unsafe"
)

// Native reports whether the system calls are made directly; see raw_linux.go.
const Native = false

func recvfrom(fd int, p []byte) (int, syscall.Errno) {
	n, _, _, _, err := syscall.Recvmsg(fd, p, nil, syscall.MSG_DONTWAIT)
	return count(n, err)
}

func peek(fd int) (int, syscall.Errno) {
	var p [1]byte
	n, _, _, _, err := syscall.Recvmsg(fd, p[:], nil, syscall.MSG_DONTWAIT|syscall.MSG_PEEK)
	return count(n, err)
}

func recvmsg(fd int, p []byte) (n, inq int, errno syscall.Errno) {
	if len(p) == 0 {
		// syscall.Recvmsg would read a byte of its own in order to get a control message.
		n, errno = recvfrom(fd, p)
		return n, InqUnknown, errno
	}
	control := make([]byte, syscall.CmsgSpace(4))
	n, controlLen, _, _, err := syscall.Recvmsg(fd, p, control, syscall.MSG_DONTWAIT|syscall.MSG_CMSG_CLOEXEC)
	if n, errno = count(n, err); errno != 0 {
		return 0, InqUnknown, errno
	}
	return n, parseInq(control[:controlLen]), 0
}

// parseInq returns the value of the TCP_INQ message in control.
func parseInq(control []byte) int {
	if len(control) < syscall.CmsgLen(4) {
		return InqUnknown
	}
	header := (*syscall.Cmsghdr)(unsafe.Pointer(unsafe.SliceData(control)))
	if header.Level != syscall.IPPROTO_TCP || header.Type != tcpInq {
		return InqUnknown
	}
	return int(*(*int32)(unsafe.Pointer(&control[syscall.CmsgLen(0)])))
}

func sendto(fd int, p []byte, more bool) (int, syscall.Errno) {
	flags := syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL
	if more {
		flags |= msgMore
	}
	n, err := syscall.SendmsgN(fd, p, nil, nil, flags)
	return count(n, err)
}

// sendTwo makes two calls, because package syscall cannot gather with flags. MSG_MORE keeps the data in one segment.
func sendTwo(fd int, a, b []byte) (int, syscall.Errno) {
	if len(a) == 0 {
		return sendto(fd, b, false)
	}
	n, errno := sendto(fd, a, len(b) > 0)
	if errno != 0 || n < len(a) {
		return n, errno
	}
	m, errno := sendto(fd, b, false)
	if errno != 0 {
		// The socket took a. The next call will return the error of b.
		return n, 0
	}
	return n + m, 0
}

// count returns n, or 0 and the error number of err.
func count(n int, err error) (int, syscall.Errno) {
	if errno := errnoOf(err); errno != 0 {
		return 0, errno
	}
	return n, 0
}
