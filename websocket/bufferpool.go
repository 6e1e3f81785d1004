package websocket

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// DefaultBufferPool is a BufferPool for whoever needs none of their own.
var DefaultBufferPool = new(BufferPool)

// BufferPool lends byte slices to applications, for ReadMessageInto and the like. It has four tiers: 256 B, 1, 4 and
// 16 KiB. What is put into one pool is never lent by another.
//
// The zero BufferPool is ready; it must not be copied. All methods may be called concurrently, and allocate nothing
// once the pool is warm. Programs built with the race detector overwrite what is put back, so that a use after Put
// shows.
type BufferPool struct {
	// tiers hold pointers to the first byte of arrays; see package bufpool.
	tiers [4]sync.Pool
}

const (
	smallestTier = 256
	largestTier  = smallestTier << (2 * (len(BufferPool{}.tiers) - 1)) // each is four times the one below
)

// Get returns a slice of length size that is the caller's until Put. Its capacity is that of the smallest tier that
// holds it, its content is not defined. A size beyond the tiers gets a slice made for the occasion. As make does, it
// panics if size is negative.
func (p *BufferPool) Get(size int) []byte {
	if b, ok := p.GetExact(size); ok {
		return b
	}
	return make([]byte, size)
}

// GetExact is Get of a size that a tier holds. For others it returns nil and false and allocates nothing: what comes
// from elsewhere need not be served.
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

// Put gives buf back with all of its capacity; nobody may use it afterwards. A slice whose capacity is not that of a
// tier is dropped.
func (p *BufferPool) Put(buf []byte) {
	size := cap(buf)
	if size < smallestTier || size > largestTier || size != smallestTier<<(2*tierFor(size)) {
		return
	}
	buf = buf[:size]
	if bufpool.Poisoned {
		for i := range buf {
			buf[i] = 0xDB
		}
	}
	p.tiers[tierFor(size)].Put(unsafe.Pointer(unsafe.SliceData(buf)))
}

// tierFor returns the smallest tier that holds size.
func tierFor(size int) int {
	if size <= smallestTier {
		return 0
	}
	return (bits.Len(uint(size-1)/smallestTier) + 1) / 2
}
