package instructions

import (
	"encoding/binary"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// onProcessor is counted everywhere, in nanoseconds: the time of a thread on a processor.
var onProcessor = event{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}

// Threads that exist are counted, and those that begin later.
func TestCountsAllThreads(t *testing.T) {
	c, err := count(os.Getpid(), onProcessor)
	if err != nil {
		t.Skipf("nothing can be counted: %v", err)
	}
	defer c.Close()
	before, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	const each = 20 * time.Millisecond
	worked := make(chan struct{})
	for range 2 { // a goroutine that ends with its thread locked ends the thread: the next one is new
		go func() {
			runtime.LockOSThread()
			defer close(worked)
			for began := onThisThread(); onThisThread()-began < each; {
			}
		}()
		<-worked
		worked = make(chan struct{})
	}
	after, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if n := after.Minus(before); n.Total() < 2*int64(each) {
		t.Errorf("%v of two times %v were counted", time.Duration(n.Total()), each)
	}
}

// onThisThread is the processor time of the calling thread.
func onThisThread() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}

// The counter counts the instructions of this process.
func TestCountInstructions(t *testing.T) {
	c, err := Count(os.Getpid())
	if err != nil {
		t.Skipf("instructions cannot be counted: %v", err)
	}
	defer c.Close()
	n, err := c.Read()
	if err != nil || n.User <= 0 {
		t.Errorf("%+v, %v", n, err)
	}
}

// A process that does not exist is an error.
func TestCountNobody(t *testing.T) {
	if _, err := Count(1 << 30); err == nil {
		t.Error("a process that is not there is counted")
	}
}

// The value of a counter that was counting half of the time is doubled.
func TestValue(t *testing.T) {
	var b [24]byte
	for i, n := range []uint64{1000, 50, 25} {
		binary.NativeEndian.PutUint64(b[8*i:], n)
	}
	if got := value(b); got != 2000 {
		t.Errorf("%d, want 2000", got)
	}
	if got := value([24]byte{}); got != 0 {
		t.Errorf("of one that never counted: %d", got)
	}
}
