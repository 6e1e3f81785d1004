package mask

import (
	"bytes"
	"os"
	"syscall"
	"testing"
)

// guarded returns one page of memory between two that may be neither read nor written.
func guarded(t *testing.T) []byte {
	t.Helper()
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{memory[:page], memory[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return memory[page : 2*page]
}

// No octet outside the slices is read or written: they begin and end at pages where an access faults.
func TestGuardPages(t *testing.T) {
	from, to := guarded(t), guarded(t)
	base := randomBytes(3, maxLen)
	octets := keys[0]
	for _, f := range functions {
		for n := 0; n <= maxLen; n++ {
			want := maskLoop(base[:n], octets, 1)
			for _, src := range [][]byte{from[:n], from[len(from)-n:]} {
				for _, dst := range [][]byte{to[:n], to[len(to)-n:], src} {
					copy(src, base)
					f.xor(dst, src, keyAt(octets, 1))
					if !bytes.Equal(dst, want) {
						t.Fatalf("%s: %d octets: % x, want % x", f.name, n, dst, want)
					}
				}
			}
		}
	}
}
