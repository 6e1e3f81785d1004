package inbuf

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Bytes that arrive in any pieces are returned as they came, and memory grows with the bytes received, not with the length asked
// for.
func TestBuffer(t *testing.T) {
	var b Buffer
	b.Room(1 << 30)
	if cap(b.mem) > 2*First {
		t.Errorf("%d bytes of memory for nothing", cap(b.mem))
	}
	var in, out []byte
	for i := range 2000 {
		free := b.Room(rand.IntN(5000))
		if len(free) < room {
			t.Fatal("too little room")
		}
		n := rand.IntN(len(free) + 1)
		for j := range n {
			free[j] = byte(i + j)
		}
		in = append(in, free[:n]...)
		b.Grow(n)
		take := rand.IntN(len(b.Bytes) + 1)
		out = append(out, b.Bytes[:take]...)
		b.Skip(take)
	}
	if out = append(out, b.Bytes...); !bytes.Equal(in, out) {
		t.Error("the bytes differ")
	}
	b.Reset()
	copy(b.Room(8), "content.")
	b.Grow(8)
	b.Cut(2, 3)
	if string(b.Bytes) != "cont." {
		t.Errorf(`got %q, want "cont."`, b.Bytes)
	}
}
