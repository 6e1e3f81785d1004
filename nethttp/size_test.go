package nethttp

import (
	"testing"
	"unsafe"
)

// TestExchangeSize holds an exchange to the runtime's size classes for objects with pointers, whose own header takes 8
// bytes of the class: 576 and 768 bytes. A field more doubles what the next class wastes.
func TestExchangeSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit systems")
	}
	if n := unsafe.Sizeof(exchange{}); n > 568 {
		t.Errorf("an exchange is %d bytes, more than 568", n)
	}
	if n := unsafe.Sizeof(exchangeWithValues{}); n > 760 {
		t.Errorf("an exchange with values is %d bytes, more than 760", n)
	}
}

// TestConnectionIsSmall: an idle connection keeps it.
func TestConnectionIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(connection{}); n > 4*unsafe.Sizeof(uintptr(0)) {
		t.Errorf("what an idle connection keeps is %d bytes, more than four words", n)
	}
}
