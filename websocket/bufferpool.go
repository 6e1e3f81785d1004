package websocket

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// DefaultBufferPool is a BufferPool for general use.
var DefaultBufferPool = new(BufferPool)

// BufferPool is a pool of byte slices for applications, for use with ReadMessageInto and the like. It has four tiers:
// 256 B, 1 KiB, 4 KiB and 16 KiB. A slice put into one pool is never returned by another.
//
// The zero BufferPool is ready to use. It must not be copied. All methods are safe for concurrent use, and do not
// allocate once the pool is warm. Programs built with the race detector overwrite slices that are put back, so that a
// use after Put shows.
type BufferPool struct {
	// tiers holds pointers to the first byte of arrays; see package bufpool.
	tiers [4]sync.Pool
}

const (
	smallestTier = 256
	largestTier  = smallestTier << (2 * (len(BufferPool{}.tiers) - 1)) // each tier is four times the one below
)

// Get returns a slice of length size, which belongs to the caller until Put. It comes from the smallest tier that holds
// size; its content is undefined. If size is larger than all tiers, Get allocates the slice. Like make, it panics if
// size is negative.
func (p *BufferPool) Get(size int) []byte {
	if b, ok := p.GetExact(size); ok {
		return b
	}
	return make([]byte, size)
}

// GetExact is like Get, but for a size that no tier holds, or a negative one, it allocates nothing and returns nil and
// false.
func (p *BufferPool) GetExact(size int) ([]byte, bool) {
	if size < 0 || size > largestTier {
		return nil, false
	}
	i := tierFor(size)
	if first, ok := p.tiers[i].Get().(unsafe.Pointer); ok {
		return unsafe.Slice((*byte)(first), smallestTier<<(2*i))[:size], true
	}
	return make([]byte, size, smallestTier<<(2*i)), true
}

// Put gives buf back to the pool, with all of its capacity. The caller must not use it afterwards. A slice whose
// capacity is not that of a tier is dropped.
func (p *BufferPool) Put(buf []byte) {
	size := cap(buf)
	if size < smallestTier || size > largestTier || size != smallestTier<<(2*tierFor(size)) {
		return
	}
	buf = buf[:size]
	bufpool.Poison(buf)
	p.tiers[tierFor(size)].Put(unsafe.Pointer(unsafe.SliceData(buf)))
}

// tierFor returns the index of the smallest tier that holds size.
func tierFor(size int) int {
	if size <= smallestTier {
		return 0
	}
	return (bits.Len(uint(size-1)/smallestTier) + 1) / 2
}
