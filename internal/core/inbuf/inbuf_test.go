package inbuf

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// arrive lets bytes arrive in pieces of what space there is.
func arrive(t *testing.T, in *Buffer, b []byte, first, most int) {
	t.Helper()
	for len(b) > 0 {
		space, err := in.Space(first, most)
		if err != nil {
			t.Fatal(err)
		}
		if len(space) == 0 {
			t.Fatal("no space, and no error")
		}
		n := copy(space, b)
		in.Arrived(n)
		b = b[n:]
	}
}

// TestOrder: whatever is received, added, taken, retained and released in whatever order, the bytes come out once and in order, and those
// that are retained do not change.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var in Buffer
		var want []byte
		type kept struct {
			held        *bufpool.Shared
			bytes, same []byte
		}
		var all []kept
		next := byte(0)
		for range 60 {
			piece := make([]byte, r.IntN(900))
			for i := range piece {
				piece[i] = next
				next++
			}
			switch r.IntN(7) {
			case 0, 1:
				arrive(t, &in, piece, 1+r.IntN(1024), 0)
				want = append(want, piece...)
			case 2:
				in.Add(piece)
				want = append(want, piece...)
			case 3:
				n := r.IntN(in.Len() + 1)
				in.Take(n)
				want = want[n:]
			case 4:
				in.TakeAll()
				want = want[:0]
			case 5:
				in.Release()
			case 6:
				if !in.Empty() && r.IntN(2) == 0 {
					all = append(all, kept{in.Retain(), in.Unread(), bytes.Clone(in.Unread())})
					if !in.Retained() {
						t.Fatal("retained by nobody")
					}
				} else if len(all) > 0 {
					all[0].held.Release()
					all = all[1:]
				}
			}
			if !bytes.Equal(in.Unread(), want) || in.Len() != len(want) || in.Empty() != (len(want) == 0) {
				t.Fatalf("%d bytes, want %d", in.Len(), len(want))
			}
			for _, k := range all {
				if !bytes.Equal(k.bytes, k.same) {
					t.Fatal("retained bytes have changed")
				}
			}
		}
		for _, k := range all {
			k.held.Release()
		}
	}
}

// TestSpace: a buffer has at least as many bytes as asked for, makes room in front before it grows, and does not grow beyond a limit that it
// has reached.
func TestSpace(t *testing.T) {
	var in Buffer
	if in.Size() != 0 || !in.Empty() {
		t.Error("a new buffer has bytes")
	}
	arrive(t, &in, make([]byte, 1024), 1024, 0)
	size := in.Size()
	arrive(t, &in, make([]byte, size-1024), 1024, 0)
	in.Take(10)
	if space, err := in.Space(1024, size); len(space) != 10 || err != nil || in.Size() != size {
		t.Errorf("%d bytes of %d, %v: room in front was not used", len(space), in.Size(), err)
	}
	in.Arrived(10)
	if _, err := in.Space(1024, size); err != ErrFull {
		t.Errorf("a full buffer: %v", err)
	}
	if space, err := in.Space(1024, size+1); err != nil || in.Size() < 2*size || len(space) < size {
		t.Errorf("%d bytes of %d, %v: it has not grown", len(space), in.Size(), err)
	}
	in.TakeAll()
	if space, _ := in.Space(1, 0); len(space) != in.Size() {
		t.Errorf("%d bytes of %d behind nothing", len(space), in.Size())
	}
	if in.Space(8*size, 0); in.Size() < 8*size {
		t.Errorf("%d bytes, want %d", in.Size(), 8*size)
	}
	if in.Release(); in.Size() != 0 {
		t.Error("an empty buffer was not released")
	}
	in.Add([]byte("x"))
	if in.Release(); in.Len() != 1 {
		t.Error("a buffer with a byte was released")
	}
	defer func() {
		if recover() == nil {
			t.Error("more was taken than there is")
		}
	}()
	in.Take(2)
}

// TestRetainedFull: retained bytes stay where they are when there is no room behind them; when nobody retains them any more their place is used
// again.
func TestRetainedFull(t *testing.T) {
	var in Buffer
	arrive(t, &in, make([]byte, 1024), 1024, 0)
	size := in.Size()
	arrive(t, &in, make([]byte, size-1024), 1024, 0)
	held := in.Retain()
	in.TakeAll()
	if in.Space(1024, 0); in.Size() != 0 && in.Retained() {
		t.Error("more goes into a buffer that is full and retained")
	}
	held.Release()
	in.Add(make([]byte, 100))
	held = in.Retain()
	held.Release()
	size = in.Size()
	in.TakeAll()
	if space, _ := in.Space(1, 0); len(space) != size {
		t.Errorf("%d bytes of %d, although nobody retains the rest", len(space), size)
	}
}

// TestKeepAndLend: what is kept is unread input; what is lent comes back.
func TestKeepAndLend(t *testing.T) {
	var in Buffer
	if in.Keep(nil, 100); in.Size() != 0 {
		t.Error("a buffer for nothing")
	}
	if in.Keep([]byte("ahead"), 2048); string(in.Unread()) != "ahead" || in.Size() < 2048 {
		t.Errorf("%q in %d bytes", in.Unread(), in.Size())
	}
	in.TakeAll()
	b := in.Lend()
	if in.Size() != 0 || len(b) < 2048 {
		t.Errorf("lent %d bytes, %d are left", len(b), in.Size())
	}
	if in.Return(b); in.Size() != len(b) || !in.Empty() {
		t.Errorf("%d bytes, %d unread", in.Size(), in.Len())
	}
}

// TestNextSize: a buffer that was filled is followed by one of four times its size, within MaxSize, a mostly empty one by the default.
func TestNextSize(t *testing.T) {
	for _, c := range []struct{ size, n, room, want int }{
		{4096, 4096, 4096, 16384}, {4096, 100, 100, 16384}, {32768, 32768, 32768, MaxSize}, {4096, 1023, 4096, 0}, {4096, 1024, 4096, 7}, {4096, 4095, 4096, 7},
	} {
		if got := NextSize(7, c.size, c.n, c.room); got != c.want {
			t.Errorf("%d bytes of %d in a buffer of %d: %d, want %d", c.n, c.room, c.size, got, c.want)
		}
	}
}
