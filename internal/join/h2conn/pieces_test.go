package h2conn

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Bytes come out in the order in which they went in, whatever the sizes, and as one slice at the end.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q pieces
		var want, got []byte
		for range r.IntN(30) {
			p := make([]byte, r.IntN(1<<r.IntN(18)))
			for i := range p {
				p[i] = byte(r.Uint32())
			}
			q.append(p)
			want = append(want, p...)
			for !q.empty() && r.IntN(3) == 0 {
				p := q.pop()
				if len(p) == 0 || len(p) > pieceSize || len(p) < pieceSize && !q.empty() {
					t.Fatalf("a piece of %d bytes; the queue is empty: %v", len(p), q.empty())
				}
				got = append(got, p...)
				q.reuse(p)
			}
			if q.empty() != (len(got) == len(want)) {
				t.Fatalf("%d of %d bytes were taken, and empty returned %v", len(got), len(want), q.empty())
			}
		}
		whole := q.whole()
		if got = append(got, whole...); !bytes.Equal(got, want) {
			t.Fatalf("%d bytes came out of %d, or other ones", len(got), len(want))
		}
		bufpool.Put(whole)
		if !q.empty() || len(q.whole()) > 0 {
			t.Fatal("the queue holds bytes that were taken")
		}
	}
}

// For a late reader little more is held than what was received, and it is not moved.
func TestPiecesMemory(t *testing.T) {
	const received, frame = 4 << 20, 16 << 10
	var q pieces
	p := make([]byte, frame)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range received / frame {
		q.append(p)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > received*3/2 {
		t.Errorf("receiving %d bytes allocated %d", received, n)
	}
	for n := 0; !q.empty(); {
		p := q.pop()
		if n += len(p); q.empty() && n != received {
			t.Errorf("%d bytes came out", n)
		}
		q.reuse(p)
	}
	if len(q.all) != 1 {
		t.Errorf("an empty queue holds %d pieces", len(q.all))
	}
	if q.release(); len(q.all) > 0 {
		t.Error("a released queue holds a piece")
	}
}
