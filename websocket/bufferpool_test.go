package websocket

import (
	"bytes"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Get and GetExact return slices of the smallest tier that holds the size.
func TestBufferPoolTiers(t *testing.T) {
	var pool BufferPool
	for _, tc := range []struct{ size, capacity int }{
		{0, 256}, {1, 256}, {256, 256}, {257, 1 << 10}, {1 << 10, 1 << 10}, {1<<10 + 1, 4 << 10},
		{4 << 10, 4 << 10}, {4<<10 + 1, 16 << 10}, {16 << 10, 16 << 10},
	} {
		for range 3 {
			b := pool.Get(tc.size)
			exact, ok := pool.GetExact(tc.size)
			if len(b) != tc.size || cap(b) != tc.capacity || !ok || len(exact) != tc.size || cap(exact) != tc.capacity {
				t.Errorf("%d: length %d, capacity %d; exact %v, %d, %d", tc.size, len(b), cap(b), ok, len(exact), cap(exact))
			}
			pool.Put(b)
			pool.Put(exact)
		}
	}
}

// Beyond the largest tier Get allocates and GetExact returns false.
func TestBufferPoolBeyondTheTiers(t *testing.T) {
	var pool BufferPool
	for _, size := range []int{16<<10 + 1, 1 << 20} {
		if b := pool.Get(size); len(b) != size {
			t.Errorf("Get(%d) has length %d", size, len(b))
		} else {
			pool.Put(b)
		}
		if b, ok := pool.GetExact(size); b != nil || ok {
			t.Errorf("GetExact(%d) = %d bytes, %v", size, len(b), ok)
		}
	}
	if b, ok := pool.GetExact(-1); b != nil || ok {
		t.Errorf("GetExact(-1) = %v, %v", b, ok)
	}
}

// Put drops a slice whose capacity is not that of a tier.
func TestForeignBuffersAreDropped(t *testing.T) {
	var pool BufferPool
	for _, capacity := range []int{0, 1, 255, 257, 512, 2 << 10, 8 << 10, 16<<10 + 1, 64 << 10} {
		pool.Put(make([]byte, 0, capacity))
	}
	pool.Put(nil)
	for size := 0; size <= 16<<10; size += 100 {
		if b := pool.Get(size); len(b) != size || cap(b) != 256<<(2*tierFor(size)) {
			t.Fatalf("Get(%d): length %d, capacity %d", size, len(b), cap(b))
		}
	}
}

// A slice put into one pool is not returned by another.
func TestPoolsAreApart(t *testing.T) {
	var one, other BufferPool
	mine := one.Get(100)
	one.Put(mine)
	for range 100 {
		if b := other.Get(100); &b[0] == &mine[0] {
			t.Fatal("got a slice of another pool")
		}
	}
	bufpool.Put(other.Get(100))
	if b := DefaultBufferPool.Get(100); &b[0] == &mine[0] {
		t.Fatal("got a slice of another pool from the default one")
	}
}

// A BufferPool can be used by many goroutines at once.
func TestBufferPoolIsConcurrent(t *testing.T) {
	var pool BufferPool
	var all sync.WaitGroup
	for i := range byte(8) {
		all.Go(func() {
			for round := range 200 {
				b := pool.Get(round * 80)
				for j := range b {
					b[j] = i
				}
				if n := bytes.Count(b, []byte{i}); n != len(b) {
					t.Errorf("only %d of %d bytes stayed", n, len(b))
				}
				pool.Put(b)
			}
		})
	}
	all.Wait()
}

// A warm BufferPool allocates nothing.
func TestBufferPoolAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	var pool BufferPool
	for _, size := range []int{0, 256, 1000, 4 << 10, 16 << 10} {
		if n := testing.AllocsPerRun(200, func() { pool.Put(pool.Get(size)) }); n != 0 {
			t.Errorf("Get(%d) and Put: %v allocations", size, n)
		}
		exact := testing.AllocsPerRun(200, func() {
			b, _ := pool.GetExact(size)
			pool.Put(b)
		})
		if exact != 0 {
			t.Errorf("GetExact(%d) and Put: %v allocations", size, exact)
		}
	}
	if n := testing.AllocsPerRun(200, func() { pool.GetExact(1 << 30) }); n != 0 {
		t.Errorf("GetExact beyond the tiers: %v allocations", n)
	}
}
