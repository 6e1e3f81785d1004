package bufpool

import (
	"bytes"
	"testing"
	"unsafe"
)

// Get returns a slice of the asked length, with the capacity of the smallest tier that holds it.
func TestGetRoundsUpToTheTier(t *testing.T) {
	for _, tc := range []struct{ size, capacity int }{
		{0, 256}, {1, 256}, {255, 256}, {256, 256},
		{257, 1 << 10}, {1 << 10, 1 << 10}, {1<<10 + 1, 4 << 10}, {4 << 10, 4 << 10},
		{4<<10 + 1, 16 << 10}, {16 << 10, 16 << 10}, {16<<10 + 1, 64 << 10}, {64 << 10, 64 << 10},
		{64<<10 + 1, 256 << 10}, {256 << 10, 256 << 10}, {256<<10 + 1, 1 << 20}, {Max, Max},
	} {
		b := Get(tc.size)
		if len(b) != tc.size || cap(b) != tc.capacity {
			t.Errorf("Get(%d): length %d, capacity %d; want capacity %d", tc.size, len(b), cap(b), tc.capacity)
		}
		Put(b)
	}
}

// A large slice does not begin at a page: a head of a few bytes before it would make copying it slow.
func TestLargeBeginsWithinAPage(t *testing.T) {
	for range 2 { // a new one, and perhaps one that was put back
		for size := leadFrom; size <= Max; size *= 4 {
			b := Get(size)
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 4096; at < 16 || at > 4096-16 || cap(b) != size {
				t.Errorf("a slice of capacity %d begins at byte %d of a page, and has capacity %d", size, at, cap(b))
			}
			Put(b)
		}
	}
}

// A slice larger than the largest tier is allocated, and Put drops it.
func TestGetBeyondTheLargestTier(t *testing.T) {
	b := Get(Max + 1)
	if len(b) != Max+1 || cap(b) < Max+1 {
		t.Fatalf("length %d, capacity %d", len(b), cap(b))
	}
	Put(b) // it is dropped, because a later Get would return too much
	if c := cap(Get(Max)); c != Max {
		t.Fatalf("a slice of capacity %d came back as the largest tier", c)
	}
}

// Put drops slices whose capacity is not that of a tier.
func TestPutDropsForeignCapacities(t *testing.T) {
	for _, c := range []int{0, 1, 100, 255, 257, 512, 2 << 10, 8 << 10, 3000, 128 << 10, 2 << 20} {
		if i, ok := tierOf(c); ok {
			t.Errorf("capacity %d was taken for tier %d", c, i)
		}
		Put(make([]byte, 0, c))
	}
	for size := 1; size <= Max; size += size/3 + 1 {
		b := Get(size)
		if cap(b) < size || len(b) != size {
			t.Fatalf("Get(%d) after foreign Puts: length %d, capacity %d", size, len(b), cap(b))
		}
		Put(b)
	}
}

// The functions that choose a tier by size and by capacity agree.
func TestTiersAgree(t *testing.T) {
	for i := range tierCount {
		if got, ok := tierOf(capacity(i)); !ok || got != i {
			t.Errorf("tierOf(%d) = %d, %v", capacity(i), got, ok)
		}
		if got := tierFor(capacity(i)); got != i {
			t.Errorf("tierFor(%d) = %d, want %d", capacity(i), got, i)
		}
		if got := tierFor(capacity(i) + 1); got != i+1 {
			t.Errorf("tierFor(%d) = %d, want %d", capacity(i)+1, got, i+1)
		}
	}
}

// Of many slices that are leased at once, each keeps what is written to it.
func TestTwoLeasesNeverShare(t *testing.T) {
	const held = 64
	for round := range 4 {
		var leases [held][]byte
		for i := range leases {
			leases[i] = Get(200 << (i % 6))
			for j := range leases[i] {
				leases[i][j] = byte(i + round)
			}
		}
		for i, b := range leases {
			if n := bytes.Count(b, []byte{byte(i + round)}); n != len(b) {
				t.Fatalf("lease %d: only %d of %d bytes kept", i, n, len(b))
			}
			Put(b)
		}
	}
}

// Grow keeps the content, and the slice itself if it has the capacity.
func TestGrow(t *testing.T) {
	b := append(Get(0), "content"...)
	within := Grow(b, 200)
	if &within[0] != &b[0] || len(within) != 200 {
		t.Error("Grow left a slice that was large enough")
	}
	larger := Grow(b, 5000)
	if len(larger) != 5000 || cap(larger) != 16<<10 || string(larger[:7]) != "content" {
		t.Errorf("length %d, capacity %d, content %q", len(larger), cap(larger), larger[:7])
	}
	if fromNothing := Grow(nil, 10); len(fromNothing) != 10 {
		t.Errorf("Grow(nil, 10) has length %d", len(fromNothing))
	}
}

// Put overwrites a slice under the race detector, and only there.
func TestPutPoisonsUnderRace(t *testing.T) {
	b := append(Get(0), "secret"...)
	whole := b[:cap(b)]
	Put(b)
	overwritten := !bytes.HasPrefix(whole, []byte("secret")) // a use after Put, on purpose
	if overwritten != Poisoned {
		t.Errorf("overwritten: %v, want %v", overwritten, Poisoned)
	}
}

// Get and Put do not allocate once the pool is warm.
func TestNoAllocations(t *testing.T) {
	if Poisoned {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	for _, size := range []int{1, 1000, 4096, 16 << 10, 1 << 20} {
		Put(Get(size))
		if n := testing.AllocsPerRun(200, func() { Put(Get(size)) }); n != 0 {
			t.Errorf("Get(%d) and Put: %v allocations", size, n)
		}
	}
}

func BenchmarkGetPut(b *testing.B) {
	for b.Loop() {
		Put(Get(4096))
	}
}

// Beyond the largest tier, a slice that grows in small steps is not copied at each step.
func TestGrowBySmallSteps(t *testing.T) {
	b, copies := Get(Max), 0
	for len(b) < 4*Max {
		grown := Grow(b, len(b)+Max/64)
		if &grown[0] != &b[0] {
			copies++
		}
		if b = grown; cap(b) > len(b)*5/4+Max/64 {
			t.Fatalf("a slice of %d bytes has capacity %d", len(b), cap(b))
		}
	}
	if copies > 8 {
		t.Errorf("%d copies on the way to %d bytes", copies, len(b))
	}
}
