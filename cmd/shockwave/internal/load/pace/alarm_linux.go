package pace

import (
	"context"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Alarm makes one goroutine sleep for precise times. The runtime's timers may be a millisecond late on an idle machine,
// which would show in latencies that count from the due time. A kernel timer (timerfd) is precise, and the runtime's
// poller waits for it as for a socket.
type Alarm struct {
	ctx  context.Context
	fd   uintptr  // descriptor of file: File.Fd would make it blocking
	file *os.File // nil if timerfd is not available
	stop func() bool
}

// NewAlarm returns an Alarm that works until ctx is done.
func NewAlarm(ctx context.Context) *Alarm {
	a := &Alarm{ctx: ctx, stop: func() bool { return true }}
	const monotonic, flags = 1, syscall.O_NONBLOCK | syscall.O_CLOEXEC
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, flags, 0)
	if errno == 0 {
		a.fd, a.file = fd, os.NewFile(fd, "alarm")
		a.stop = context.AfterFunc(ctx, func() { a.file.SetReadDeadline(time.Unix(1, 0)) })
	}
	return a
}

// Wait waits for d. It reports false if ctx is done before.
func (a *Alarm) Wait(d time.Duration) bool {
	if d <= 0 {
		return a.ctx.Err() == nil
	}
	if a.file == nil || !a.set(d) {
		Sleep(a.ctx, d)
		return a.ctx.Err() == nil
	}
	var rung [8]byte
	_, err := a.file.Read(rung[:])
	return err == nil
}

// set arms the timer: the file becomes readable after d.
func (a *Alarm) set(d time.Duration) bool {
	spec := struct{ interval, value syscall.Timespec }{value: syscall.NsecToTimespec(int64(d))}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, a.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return errno == 0
}

// Close ends the alarm.
func (a *Alarm) Close() {
	a.stop()
	if a.file != nil {
		a.file.Close()
	}
}
