package netconn

import (
	"testing"
	"unsafe"
)

// For an idle connection the engine keeps one Conn, besides 24 bytes in the lot. 288 bytes is a size class of the
// runtime's; the next is 320.
func TestConnSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit systems")
	}
	if n := unsafe.Sizeof(Conn{}); n > 288 {
		t.Errorf("a Conn is %d bytes, more than 288", n)
	}
}
