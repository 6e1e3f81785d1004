package nethttp

import (
	"testing"
	"unsafe"
)

// An exchange fits the runtime's size class of 576 bytes for objects with pointers, whose header takes 8 bytes of it.
func TestExchangeSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit systems")
	}
	if n := unsafe.Sizeof(exchange{}); n > 568 {
		t.Errorf("an exchange is %d bytes, more than 568", n)
	}
}

// A connection takes at most four words, because idle connections keep it.
func TestConnectionIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(connection{}); n > 4*unsafe.Sizeof(uintptr(0)) {
		t.Errorf("an idle connection keeps %d bytes, more than four words", n)
	}
}
