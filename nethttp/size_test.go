package nethttp

import (
	"testing"
	"unsafe"
)

// TestExchangeSize holds an exchange to the runtime's size classes for objects with pointers, whose own header takes 8
// bytes of the class of 576 bytes.
func TestExchangeSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit systems")
	}
	if n := unsafe.Sizeof(exchange{}); n > 568 {
		t.Errorf("an exchange is %d bytes, more than 568", n)
	}
}

// An idle connection keeps it.
func TestConnectionIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(connection{}); n > 4*unsafe.Sizeof(uintptr(0)) {
		t.Errorf("what an idle connection keeps is %d bytes, more than four words", n)
	}
}
