package instructions

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// event selects what a counter of perf_event_open(2) counts.
type event struct {
	kind uint32
	code uint64
}

// executed selects the instructions that the processor has retired.
var executed = event{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}

// Counter counts the instructions of the threads that a process had when counting began, and of threads started by
// those. It must be used by one goroutine at a time.
type Counter struct{ user, kernel []*os.File }

// Count starts counting the instructions of a process.
func Count(pid int) (*Counter, error) { return count(pid, executed) }

func count(pid int, what event) (*Counter, error) {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	c := &Counter{}
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread.Name())
		if err == nil {
			err = c.add(tid, what)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) { // the thread has ended
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// add counts a thread, with separate counters for user mode and kernel mode.
func (c *Counter) add(tid int, what event) error {
	user, err := openEvent(tid, what, unix.PerfBitExcludeKernel|unix.PerfBitExcludeHv)
	if err != nil {
		return err
	}
	c.user = append(c.user, user)
	kernel, err := openEvent(tid, what, unix.PerfBitExcludeUser|unix.PerfBitExcludeHv)
	if err != nil {
		return err
	}
	c.kernel = append(c.kernel, kernel)
	return nil
}

func openEvent(tid int, what event, bits uint64) (*os.File, error) {
	attr := unix.PerfEventAttr{
		Type: what.kind, Config: what.code, Size: unix.PERF_ATTR_SIZE_VER5, Bits: bits | unix.PerfBitInherit,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	fd, err := unix.PerfEventOpen(&attr, tid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("perf_event_open", err)
	}
	return os.NewFile(uintptr(fd), "instructions"), nil
}

// Read returns the counts so far.
func (c *Counter) Read() (n Number, err error) {
	if n.User, err = sum(c.user); err != nil {
		return n, err
	}
	n.Kernel, err = sum(c.kernel)
	return n, err
}

func sum(counters []*os.File) (total int64, err error) {
	for _, f := range counters {
		var b [24]byte
		if _, err := f.Read(b[:]); err != nil {
			return 0, err
		}
		total += value(b)
	}
	return total, nil
}

// value returns the value of a counter, extrapolated if the counter shared the processor's registers with others and
// was not always running.
func value(b [24]byte) int64 {
	field := func(i int) float64 { return float64(binary.NativeEndian.Uint64(b[8*i:])) }
	counted, enabled, running := field(0), field(1), field(2)
	if running == 0 {
		return 0
	}
	return int64(counted * enabled / running)
}

// Close stops counting.
func (c *Counter) Close() {
	for _, f := range append(c.user, c.kernel...) {
		f.Close()
	}
}
