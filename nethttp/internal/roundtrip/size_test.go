package roundtrip

import (
	"testing"
	"unsafe"
)

// A response of the Transport fits the size class of 448 bytes.
func TestReplySize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("sizes are those of 64-bit systems")
	}
	if n := unsafe.Sizeof(reply{}); n > 448 {
		t.Errorf("a reply is %d bytes, more than 448", n)
	}
}
