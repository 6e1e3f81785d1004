package h1client

import (
	"testing"
	"unsafe"
)

// A Conn fits Go's size class of 512 bytes.
func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(Conn{}); size > 512 {
		t.Errorf("a Conn has %d bytes, want 512 or less", size)
	}
}
