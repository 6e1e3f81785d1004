package deepstack_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/deepstack"
)

// task reports the address of its stack.
type task struct{ at chan uintptr }

// Do implements deepstack.Task.
func (t task) Do() {
	var local byte
	t.at <- deepstack.AddressOf(&local)
}

// A task that follows within a second runs on the goroutine of the previous one; later tasks, and those after StopIdle,
// run on new ones. No goroutine is left.
func TestWorkersAreReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w deepstack.Workers
		w.Init()
		at := make(chan uintptr, 1)
		do := func() uintptr {
			w.Do(task{at})
			synctest.Wait()
			return <-at
		}
		first := do()
		if do() != first {
			t.Error("the worker was not reused")
		}
		time.Sleep(2 * time.Second) // the worker ends, as the bubble requires
		do()
		w.StopIdle()
	})
}

// A deep stack is kept after it has grown several times, and is then never too small again.
func TestUse(t *testing.T) {
	var u deepstack.Use
	for range 3 {
		if u.TooSmall() {
			t.Fatal("the stack is kept too early")
		}
		u.Note(true)
		u.Note(false)
	}
	if !u.TooSmall() {
		t.Fatal("the stack is not kept")
	}
	if err := u.Keep(func() error { return nil }); err != nil || u.TooSmall() || !u.Kept() {
		t.Error("the stack is too small although it is kept")
	}
}
