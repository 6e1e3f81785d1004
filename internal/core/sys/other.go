//go:build !linux

package sys

import (
	"syscall"
	"time"
)

// Available reports whether this package works on this system.
const Available = false

// Native reports whether the system calls are made directly.
const Native = false

// RawLimit is the maximum number of bytes that a raw system call moves.
const RawLimit = 64 << 10

// InqUnknown is the inq result of RecvInq if the kernel did not report it.
const InqUnknown = -1

// The directions that Shutdown ends.
const (
	ShutRead = iota
	ShutWrite
	ShutBoth
)

// The events of a Poll, with Linux's numbers.
const (
	IN      = 0x1
	OUT     = 0x4
	ERR     = 0x8
	HUP     = 0x10
	RDHUP   = 0x2000
	ONESHOT = 0x40000000
	ET      = uint32(1) << 31
)

// Recv fails with ENOSYS.
func Recv(fd int, p []byte) (n int, err syscall.Errno) { return 0, syscall.ENOSYS }

// Peek fails with ENOSYS.
func Peek(fd int) (n int, err syscall.Errno) { return 0, syscall.ENOSYS }

// PeerGone fails with ENOSYS.
func PeerGone(fd int) (gone bool, err syscall.Errno) { return false, syscall.ENOSYS }

// RecvInq fails with ENOSYS.
func RecvInq(fd int, p []byte) (n, inq int, err syscall.Errno) { return 0, InqUnknown, syscall.ENOSYS }

// SetInq returns false.
func SetInq(fd int) bool { return false }

// InheritKeepAlive returns false.
func InheritKeepAlive(fd int, idle, interval time.Duration, count int) bool { return false }

// Send fails with ENOSYS.
func Send(fd int, p []byte, more bool) (n int, err syscall.Errno) { return 0, syscall.ENOSYS }

// SendTwo fails with ENOSYS.
func SendTwo(fd int, a, b []byte) (n int, err syscall.Errno) { return 0, syscall.ENOSYS }

// Shutdown fails with ENOSYS.
func Shutdown(fd, how int) syscall.Errno { return syscall.ENOSYS }

// SendFile fails with ENOSYS.
func SendFile(fd, file int, at int64, most int) (n int, err syscall.Errno) { return 0, syscall.ENOSYS }

// Unsent returns -1.
func Unsent(fd int) int { return -1 }

// LimitUnsent returns false.
func LimitUnsent(fd, n int) bool { return false }

// Unread returns -1.
func Unread(fd int) int { return -1 }

// Delivered returns 0 and 0.
func Delivered(fd int) (acked uint64, segment int) { return 0, 0 }

// Disconnect fails with ENOSYS.
func Disconnect(fd int) syscall.Errno { return syscall.ENOSYS }

// Reset fails with ENOSYS.
func Reset(fd int) syscall.Errno { return syscall.ENOSYS }

// Poll is an epoll descriptor; there is none on this system.
type Poll struct{}

// Event is an event of one descriptor.
type Event struct{ Events uint32 }

// NewPoll fails with ENOSYS.
func NewPoll() (*Poll, error) { return nil, syscall.ENOSYS }

// FD returns -1.
func (p *Poll) FD() int { return -1 }

// Close fails with ENOSYS.
func (p *Poll) Close() error { return syscall.ENOSYS }

// Add fails with ENOSYS.
func (p *Poll) Add(fd int, events uint32, data uint64) syscall.Errno { return syscall.ENOSYS }

// Mod fails with ENOSYS.
func (p *Poll) Mod(fd int, events uint32, data uint64) syscall.Errno { return syscall.ENOSYS }

// Del fails with ENOSYS.
func (p *Poll) Del(fd int) syscall.Errno { return syscall.ENOSYS }

// Wait fails with ENOSYS.
func (p *Poll) Wait(events []Event, msec int) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// Has returns false.
func (e *Event) Has(events uint32) bool { return false }

// Data returns 0.
func (e *Event) Data() uint64 { return 0 }
