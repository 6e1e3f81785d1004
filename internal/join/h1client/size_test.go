package h1client

import (
	"testing"
	"unsafe"
)

// TestSize: the memory of an idle connection is mostly this. Go's allocator has blocks of 512 bytes, and of 576.
func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(Conn{}); size > 512 {
		t.Errorf("a Conn has %d bytes, want 512 or less", size)
	}
}
