package hpack

import (
	"bytes"
	"testing"
)

// Every byte at every position of names of about eight bytes, next to upper-case letters and alone.
func TestLower(t *testing.T) {
	var scratch []byte
	for size := range 20 {
		for at := range size {
			for c := range 256 {
				for _, rest := range []byte("aZ\x80") {
					name := bytes.Repeat([]byte{rest}, size)
					name[at] = byte(c)
					want := bytes.Clone(name)
					for i, c := range want {
						if 'A' <= c && c <= 'Z' {
							want[i] = c + 'a' - 'A'
						}
					}
					given := bytes.Clone(name)
					got := lower(name, &scratch)
					if !bytes.Equal(got, want) || !bytes.Equal(name, given) {
						t.Fatalf("%q becomes %q, and was changed to %q", given, got, name)
					}
					if same := &got[0] == &name[0]; same != bytes.Equal(given, want) {
						t.Fatalf("%q: copied %v", given, !same)
					}
				}
			}
		}
	}
}
