package utf8x

import (
	"syscall"
	"testing"
)

// No byte outside the slice is read: a page that faults lies on each side.
func TestReadsNothingOutside(t *testing.T) {
	page := syscall.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	for _, at := range []int{0, 2 * page} {
		if err := syscall.Mprotect(m[at:at+page], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	inside := m[page : 2*page]
	for _, part := range []string{"a", "é", "字", "🦈"} {
		for length := range 300 {
			for _, b := range [][]byte{inside[:length], inside[page-length:]} {
				copy(b, fill(length, part))
				check(t, b)
				for cut := range min(length, 5) {
					checkCut(t, b, cut)
				}
			}
		}
	}
}
