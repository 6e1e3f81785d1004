//go:build !noasm && (amd64 || arm64 || loong64 || ppc64 || ppc64le || riscv64)

package sys

import (
	"syscall"
	"unsafe"
)

// Native reports whether the system calls are made directly. The other variant goes through package syscall: on
// systems where all socket calls share one number (386, s390x), and with the build tag noasm.
const Native = true

// inqSpace is the size of a control message that contains an int.
const inqSpace = (syscall.SizeofCmsghdr + 4 + 7) &^ 7

// inqMessage is a control message that contains an int, in the kernel's layout.
type inqMessage struct {
	header syscall.Cmsghdr
	value  int32
	_      int32
}

func recvfrom(fd int, p []byte) (int, syscall.Errno) {
	base := unsafe.Pointer(unsafe.SliceData(p))
	var n uintptr
	var err syscall.Errno
	if len(p) <= RawLimit {
		n, _, err = syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(base), uintptr(len(p)),
			syscall.MSG_DONTWAIT, 0, 0)
	} else {
		n, _, err = syscall.Syscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(base), uintptr(len(p)),
			syscall.MSG_DONTWAIT, 0, 0)
	}
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

func peek(fd int) (int, syscall.Errno) {
	var p [1]byte
	n, _, err := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&p)), uintptr(len(p)),
		syscall.MSG_DONTWAIT|syscall.MSG_PEEK, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

func recvmsg(fd int, p []byte) (n, inq int, err syscall.Errno) {
	var control inqMessage
	iov := syscall.Iovec{Base: unsafe.SliceData(p), Len: uint64(len(p))}
	msg := syscall.Msghdr{
		Iov: &iov, Iovlen: 1,
		Control: (*byte)(unsafe.Pointer(&control)), Controllen: inqSpace,
	}
	taken, err := callMsg(syscall.SYS_RECVMSG, fd, &msg, syscall.MSG_DONTWAIT|syscall.MSG_CMSG_CLOEXEC, len(p))
	if err != 0 {
		return 0, InqUnknown, err
	}
	inq = InqUnknown
	if msg.Controllen >= syscall.SizeofCmsghdr+4 && control.header.Level == syscall.IPPROTO_TCP && control.header.Type == tcpInq {
		inq = int(control.value)
	}
	return taken, inq, 0
}

func sendto(fd int, p []byte, more bool) (int, syscall.Errno) {
	flags := uintptr(syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL)
	if more {
		flags |= msgMore
	}
	base := unsafe.Pointer(unsafe.SliceData(p))
	var n uintptr
	var err syscall.Errno
	if len(p) <= RawLimit {
		n, _, err = syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(base), uintptr(len(p)), flags, 0, 0)
	} else {
		n, _, err = syscall.Syscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(base), uintptr(len(p)), flags, 0, 0)
	}
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

func sendTwo(fd int, a, b []byte) (int, syscall.Errno) {
	iov := [2]syscall.Iovec{
		{Base: unsafe.SliceData(a), Len: uint64(len(a))},
		{Base: unsafe.SliceData(b), Len: uint64(len(b))},
	}
	msg := syscall.Msghdr{Iov: &iov[0], Iovlen: 2}
	return callMsg(syscall.SYS_SENDMSG, fd, &msg, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, len(a)+len(b))
}

// callMsg makes the system call trap, which moves size bytes as described by msg.
func callMsg(trap uintptr, fd int, msg *syscall.Msghdr, flags uintptr, size int) (int, syscall.Errno) {
	var n uintptr
	var err syscall.Errno
	if size <= RawLimit {
		n, _, err = syscall.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(msg)), flags)
	} else {
		n, _, err = syscall.Syscall(trap, uintptr(fd), uintptr(unsafe.Pointer(msg)), flags)
	}
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}
