package output_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// A small unit on an idle queue, as nearly every request sends, costs no allocation. The sink here costs nothing, so that
// the queue's own allocations show.
func TestAllocations(t *testing.T) {
	if bufpool.Poisoned {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	q := output.WithBound(1 << 16)
	p := []byte("HTTP/1.1 200 OK\r\n\r\n")
	large := make([]byte, output.GatherFrom)
	shared := shared("frame")
	defer shared.Release()
	ctx := t.Context()
	land := func(f *output.Flight) {
		for f != nil {
			f, _, _ = q.Finished(f, nil)
		}
	}
	for _, tc := range []struct {
		what string
		most float64
		f    func()
	}{
		{"Write", 0, func() { f, _, _ := q.Write(ctx, output.Whole, p, nil); land(f) }},
		{"Write of two halves", 0, func() { f, _, _ := q.Write(ctx, output.Whole, p, p); land(f) }},
		{"Write of a large one", 0, func() { f, _, _ := q.Write(ctx, output.Whole, p, large); land(f) }},
		{"Post", 0, func() { f, _, _, _ := q.Post(output.Whole, p); land(f) }},
		{"PostTwo", 0, func() { f, _, _, _ := q.PostTwo(output.Whole, p, p); land(f) }},
		{"PostTwo of a large one", 0, func() { f, _, _, _ := q.PostTwo(output.Whole, p, large); land(f) }},
		{"Hold, Write, ReleaseTake", 0, func() {
			q.Hold()
			q.Write(ctx, output.Whole, p, nil)
			f, _ := q.ReleaseTake()
			land(f)
		}},
		{"Hold, more than a lease holds, ReleaseTake", 0, func() {
			q.Hold()
			for range 3 {
				q.Write(ctx, output.Whole, p, large[:5000])
			}
			f, _ := q.ReleaseTake()
			land(f)
		}},
		{"Leave and Resume", 0, func() {
			f, _, _, _ := q.Post(output.Whole, p)
			q.Leave(f)
			land(q.Resume())
		}},
		{"BeginParts and EndParts", 0, func() { q.BeginParts(ctx, 1); q.EndParts() }},
		{"PostShared", 1, func() { f, _, _, _ := q.PostShared(output.Whole, shared); land(f) }},
	} {
		tc.f() // warms the pools, and creates what the queue creates once
		if n := testing.AllocsPerRun(200, tc.f); n > tc.most {
			t.Errorf("%s: %v allocations, want at most %v", tc.what, n, tc.most)
		}
	}
}
