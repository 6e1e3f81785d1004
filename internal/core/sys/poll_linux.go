package sys

import (
	"syscall"
	"unsafe"
)

// The events of a Poll. HUP and ERR are reported even if they were not asked for.
const (
	IN    = syscall.EPOLLIN
	OUT   = syscall.EPOLLOUT
	RDHUP = syscall.EPOLLRDHUP // the peer has closed its write half
	HUP   = syscall.EPOLLHUP
	ERR   = syscall.EPOLLERR

	ONESHOT = syscall.EPOLLONESHOT // no more events after the first one until Mod
	ET      = uint32(1) << 31      // report changes only
)

// Poll is an epoll descriptor. The descriptor itself is readable while there is an event, so it can wait in another
// poller, such as Go's. It is close-on-exec and, because os.NewFile needs that, non-blocking. All methods may be called
// concurrently; Close must be the last call.
type Poll struct{ fd int }

// Event is an event of one descriptor.
type Event syscall.EpollEvent

// NewPoll returns a Poll that watches no descriptor.
func NewPoll() (*Poll, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return &Poll{fd: fd}, nil
}

// FD returns the descriptor of p itself.
func (p *Poll) FD() int { return p.fd }

// Close closes the descriptor of p. It must not be called if FD was given to an os.File, which closes it.
func (p *Poll) Close() error { return syscall.Close(p.fd) }

// Add starts watching fd for events; data is returned with each event. It fails with EEXIST if fd is already watched.
func (p *Poll) Add(fd int, events uint32, data uint64) syscall.Errno {
	return p.control(syscall.EPOLL_CTL_ADD, fd, events, data)
}

// Mod changes the events that fd is watched for, and rearms it after ONESHOT. An event that is already pending is
// reported. Mod fails with ENOENT if fd is not watched.
func (p *Poll) Mod(fd int, events uint32, data uint64) syscall.Errno {
	return p.control(syscall.EPOLL_CTL_MOD, fd, events, data)
}

// Del stops watching fd. Closing the last descriptor of a socket has the same effect. An event of fd that another
// goroutine has already received is not taken back.
func (p *Poll) Del(fd int) syscall.Errno {
	return p.control(syscall.EPOLL_CTL_DEL, fd, 0, 0)
}

// Wait stores events in the given slice and returns how many. It waits for the first one up to msec milliseconds; 0
// does not wait, and -1 waits without limit. A signal ends the wait early, with no event and no error.
func (p *Poll) Wait(events []Event, msec int) (int, syscall.Errno) {
	if len(events) == 0 {
		return 0, syscall.EINVAL
	}
	first, size := uintptr(unsafe.Pointer(&events[0])), uintptr(len(events))
	var n uintptr
	var err syscall.Errno
	if msec == 0 {
		n, _, err = syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd), first, size, 0, 0, 0)
	} else {
		n, _, err = syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd), first, size, uintptr(msec), 0, 0)
	}
	if err == syscall.EINTR {
		return 0, 0
	}
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

func (p *Poll) control(op, fd int, events uint32, data uint64) syscall.Errno {
	ev := syscall.EpollEvent{Events: events, Fd: int32(data), Pad: int32(data >> 32)}
	_, _, err := syscall.RawSyscall6(syscall.SYS_EPOLL_CTL, uintptr(p.fd), uintptr(op), uintptr(fd),
		uintptr(unsafe.Pointer(&ev)), 0, 0)
	return err
}

// Has reports whether e contains any of the given events.
func (e *Event) Has(events uint32) bool { return e.Events&events != 0 }

// Data returns the data that was passed to Add or Mod.
func (e *Event) Data() uint64 { return uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32 }
