package netconn

import (
	"errors"
	"unsafe"
)

// A stack that has grown is halved by every collection of garbage that finds less than a quarter of it in use, and the
// goroutine of a connection that waits uses little. A handler that needs more than 4 KiB has it grow, which copies it,
// after every collection. So the loop of a connection whose stack keeps growing runs once more, on top of a frame that keeps
// the stack in use. Who needs no deep stack does not pay for it.

// stackHabit is how often Data has found the stack too small.
type stackUse struct {
	growths uint8
	kept    bool // the loop runs in deeply
}

// manyGrowths tell that it is a habit: each goroutine begins with 2 KiB, and most need 4.
const manyGrowths = 3

// note is told whether the stack has moved.
func (h *stackUse) noteGrowth(moved bool) {
	if moved && h.growths < manyGrowths {
		h.growths++
	}
}

// small reports whether the stack should be kept, and is not.
func (h *stackUse) tooSmall() bool { return h.growths >= manyGrowths && !h.kept }

// errDeep is what a serve loop returns to be called again by deeply.
var errDeepStack = errors.New("netconn: the stack has grown")

// inUse is how much of the stack deeply uses: with the frames of a loop that waits a quarter of 16 KiB.
const deepStackUse = 3 << 10

// deeply calls serve with much of the stack in use.
//
//go:noinline
func withDeepStack(serve func() error) error {
	var room [deepStackUse]byte
	touch(&room)
	return serve()
}

//go:noinline
func touch(*[deepStackUse]byte) {}

// whereStack returns where the caller's stack is; it is elsewhere when it has grown.
//
//go:noinline
func stackAddress() uintptr {
	var here byte
	return uintptr(unsafe.Pointer(&here))
}
