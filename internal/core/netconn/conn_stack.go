package netconn

import (
	"errors"
	"unsafe"
)

// Every garbage collection halves a grown stack of which less than a quarter is in use, and the goroutine of a waiting
// connection uses little. A handler that needs more than 4 KiB would make the stack grow, with a copy, after every
// collection. So when the stack of a connection has grown several times, its loop runs again on top of a frame that
// keeps the stack in use. A connection that needs no deep stack does not pay for it.

// stackUse counts how often Data has made the stack grow.
type stackUse struct {
	growths uint8
	kept    bool // the loop runs in withDeepStack
}

// manyGrowths is how many growths keep the stack: every goroutine begins with 2 KiB, and most need 4.
const manyGrowths = 3

// noteGrowth counts a growth if the stack has moved.
func (h *stackUse) noteGrowth(moved bool) {
	if moved && h.growths < manyGrowths {
		h.growths++
	}
}

// tooSmall reports whether the stack should be kept in use and is not.
func (h *stackUse) tooSmall() bool { return h.growths >= manyGrowths && !h.kept }

// errDeepStack is returned by a serve loop to be called again by withDeepStack.
var errDeepStack = errors.New("netconn: the stack has grown")

// deepStackUse is how much of the stack withDeepStack uses. Together with the frames of a waiting loop it is a quarter
// of 16 KiB.
const deepStackUse = 3 << 10

// withDeepStack runs loop with much of the stack in use.
//
//go:noinline
func withDeepStack(loop serveLoop) error {
	var room [deepStackUse]byte
	touch(&room)
	return loop.serve()
}

//go:noinline
func touch(*[deepStackUse]byte) {}

// addressOf returns the address of a local variable. It changes when the stack has grown.
func addressOf(local *byte) uintptr { return uintptr(unsafe.Pointer(local)) }
