// Package deepstack keeps the stacks of goroutines that need deep ones from being shrunk and grown again.
//
// Every garbage collection halves a stack if less than a quarter of it is in use, and a goroutine that waits uses little. One
// that now and then needs more than 4 KiB would have its stack grown, with a copy, after every collection.
package deepstack

import "unsafe"

// Use counts how often a function has made the stack of its goroutine grow. A goroutine that needs no deep stack does not pay
// for one: only after several growths the goroutine's loop should be run by Keep.
type Use struct {
	growths uint8
	kept    bool // the loop is run by Keep
}

// manyGrowths is how many growths keep the stack: every goroutine begins with 2 KiB, and most need 4.
const manyGrowths = 3

// Note counts a growth if the stack has moved.
func (u *Use) Note(moved bool) {
	if moved && u.growths < manyGrowths {
		u.growths++
	}
}

// TooSmall reports whether the stack should be kept in use and is not.
func (u *Use) TooSmall() bool { return u.growths >= manyGrowths && !u.kept }

// Kept reports whether Keep has been called.
func (u *Use) Kept() bool { return u.kept }

// keptUse is how much of the stack Keep uses. Together with the frames of a waiting loop it is a quarter of 16 KiB.
const keptUse = 3 << 10

// Keep runs loop with much of the stack in use.
func (u *Use) Keep(loop func() error) error {
	u.kept = true
	return keep(loop)
}

//go:noinline
func keep(loop func() error) error {
	var room [keptUse]byte
	touch(&room)
	return loop()
}

//go:noinline
func touch(*[keptUse]byte) {}

// AddressOf returns the address of a local variable. It changes when the stack has grown.
func AddressOf(local *byte) uintptr { return uintptr(unsafe.Pointer(local)) }
