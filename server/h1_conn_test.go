package server

import (
	"testing"
	"unsafe"
)

// TestConnIsSmall: there may be a million of them, idle.
func TestConnIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(h1Conn{}); size > 64 {
		t.Errorf("a connection takes %d bytes, want at most 64", size)
	}
}
