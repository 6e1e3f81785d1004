package netconn_test

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// patience is how long a test waits for an event that must happen. It is never a measure of speed.
const patience = time.Minute

// eventually waits until f is true.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// within waits until ch delivers a value or is closed.
func within[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatalf("waited %v in vain for %s", patience, what)
	}
	return v
}

// millis returns n milliseconds.
func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// leakWatch remembers how many descriptors and goroutines there were.
type leakWatch struct{ goroutines, files int }

func watchLeaks() leakWatch {
	return leakWatch{goroutines: goroutines(), files: openFiles()}
}

// goroutines returns how many goroutines run.
func goroutines() int { return runtime.NumGoroutine() }

// check fails the test if there are more descriptors or goroutines than before, also after a while.
func (w leakWatch) check(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		goroutines, files := goroutines(), openFiles()
		if goroutines <= w.goroutines && files <= w.files {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 64<<10)
			t.Errorf("left behind: %d goroutines (%d before), %d descriptors (%d before)\n%s", goroutines, w.goroutines,
				files, w.files, stacks[:runtime.Stack(stacks, true)])
			return
		}
	}
}

// openFiles returns how many descriptors this process has; 0 where that is not known.
func openFiles() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}
