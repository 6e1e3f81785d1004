package server

import (
	"testing"
	"unsafe"
)

// A connection takes at most 64 bytes, because a million may be idle.
func TestConnIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(h1Conn{}); size > 64 {
		t.Errorf("a connection takes %d bytes, want at most 64", size)
	}
}
