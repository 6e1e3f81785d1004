package sys

import (
	"syscall"
	"unsafe"
)

// pollFD is struct pollfd of poll(2). Its events have the numbers of a Poll's.
type pollFD struct {
	fd      int32
	events  int16
	revents int16
}

// PeerGone reports whether the peer of the socket fd has closed its write half or the connection, or has reset it: the
// events RDHUP, HUP and ERR. What the peer sent before that may still be unread.
func PeerGone(fd int) (gone bool, err syscall.Errno) {
	p := pollFD{fd: int32(fd), events: RDHUP}
	var now syscall.Timespec
	_, _, err = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	if err != 0 {
		return false, err
	}
	return p.revents&(RDHUP|HUP|ERR) != 0, 0
}
