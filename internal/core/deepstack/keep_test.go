package deepstack_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/deepstack"
)

// deep uses that much of the stack, and says where that is.
//
//go:noinline
func deep(use int) uintptr {
	var room [1 << 10]byte
	if use > len(room) {
		return deep(use-len(room)) + uintptr(room[use%len(room)])
	}
	return deepstack.AddressOf(&room[0])
}

// grown says whether the stack has moved since the call before.
type grown struct {
	use  int
	at   *uintptr
	done chan bool
}

// Do implements deepstack.Task.
func (g grown) Do() {
	before := *g.at
	*g.at = deep(g.use)
	g.done <- before != *g.at
}

// TestWorkersKeepTheirStacks: the garbage collector leaves the stack of a worker that waits for its next task as it is.
func TestWorkersKeepTheirStacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w deepstack.Workers
		w.Init()
		done, at := make(chan bool, 1), new(uintptr)
		for i := range 3 {
			w.Do(grown{9 << 10, at, done})
			synctest.Wait()
			if moved := <-done; moved && i > 0 {
				t.Error("the stack was shrunk")
			}
			runtime.GC()
		}
		w.StopIdle()
	})
}

// TestWorkersWaitAnew: a worker waits a second for its next task, however long it has waited for the one before.
func TestWorkersWaitAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w deepstack.Workers
		w.Init()
		at := make(chan string, 1)
		do := func() (number string) {
			w.Do(named{at})
			synctest.Wait()
			return <-at
		}
		first := do()
		for range 3 {
			time.Sleep(700 * time.Millisecond)
			if next := do(); next != first {
				t.Fatalf("goroutine %s, want %s", next, first)
			}
		}
		w.StopIdle()
		synctest.Wait()
		second := do()
		if third := do(); second == first || third != second {
			t.Errorf("goroutines %s, %s and %s around StopIdle", first, second, third)
		}
		w.StopIdle()
	})
}

// named says which goroutine does it.
type named struct {
	at chan string
}

// Do implements deepstack.Task.
func (n named) Do() {
	stack := make([]byte, 64)
	stack = stack[:runtime.Stack(stack, false)]
	for i, c := range stack {
		if c == '[' {
			n.at <- string(stack[:i])
			return
		}
	}
}
