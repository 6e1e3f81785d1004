package transport

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Empty moves the remaining data to the front of the batch.
func TestBatchEmptyBringsTheRestToTheFront(t *testing.T) {
	for _, tc := range []struct {
		name string
		b    Batch
		a, n string // of A and B afterwards
		rest string // of More
		size int
	}{
		{name: "nothing"},
		{name: "only empty pieces", b: Batch{More: [][]byte{nil, {}, nil}}},
		{name: "A alone", b: Batch{A: []byte("a")}, a: "a", size: 1},
		{name: "B alone", b: Batch{B: []byte("bb")}, a: "bb", size: 2},
		{name: "one of More", b: Batch{More: [][]byte{[]byte("c")}}, a: "c", size: 1},
		{name: "behind empty ones", b: Batch{More: [][]byte{nil, []byte("c"), []byte("d"), []byte("e")}}, a: "c", n: "d", rest: "e", size: 3},
		{name: "A and More", b: Batch{A: []byte("a"), More: [][]byte{[]byte("c"), []byte("d")}}, a: "a", rest: "cd", size: 3},
		{name: "B and More", b: Batch{B: []byte("b"), More: [][]byte{[]byte("c"), []byte("d")}}, a: "b", n: "c", rest: "d", size: 3},
		{name: "all", b: Batch{A: []byte("a"), B: []byte("b"), More: [][]byte{[]byte("c")}}, a: "a", n: "b", rest: "c", size: 3},
	} {
		b := tc.b
		if got := b.Size(); got != tc.size {
			t.Errorf("%s: Size is %d, want %d", tc.name, got, tc.size)
		}
		if got := b.Empty(); got != (tc.size == 0) {
			t.Errorf("%s: Empty returned %v", tc.name, got)
		}
		if rest := bytes.Join(b.More, nil); string(b.A) != tc.a || string(b.B) != tc.n || string(rest) != tc.rest {
			t.Errorf("%s: A is %q, B %q, More %q; want %q, %q, %q", tc.name, b.A, b.B, rest, tc.a, tc.n, tc.rest)
		}
		if got := b.Size(); got != tc.size {
			t.Errorf("%s: Empty has changed Size to %d", tc.name, got)
		}
	}
}

// randomBatch returns a batch of that many pieces, cut from the stream at *at, and moves *at.
func randomBatch(rng *rand.Rand, stream []byte, at *int, pieces, most int) Batch {
	next := func() []byte {
		n := min(rng.IntN(most), len(stream)-*at)
		if rng.IntN(5) == 0 {
			n = 0
		}
		*at += n
		return stream[*at-n : *at]
	}
	b := Batch{A: next(), B: next()}
	for range pieces {
		b.More = append(b.More, next())
	}
	return b
}

// A batch keeps the order of its bytes, however it is filled and wherever it is cut.
func TestBatchKeepsTheOrder(t *testing.T) {
	stream := pattern(1 << 10)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		at := 0
		b := randomBatch(rng, stream, &at, rng.IntN(6), 40)
		want, got := stream[:at], []byte(nil)
		for !b.Empty() {
			if len(b.A) == 0 {
				t.Fatalf("seed %d: Empty leaves nothing in front", seed)
			}
			if left := len(want) - len(got); b.Size() != left {
				t.Fatalf("seed %d: Size is %d, %d bytes are left", seed, b.Size(), left)
			}
			n := 1 + rng.IntN(len(b.A)+len(b.B))
			got = append(got, append(append([]byte(nil), b.A...), b.B...)[:n]...)
			b.advance(n)
		}
		same(t, got, want)
	}
}
