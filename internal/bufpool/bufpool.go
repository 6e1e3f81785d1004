// Package bufpool lends byte slices in a few sizes and takes them back.
//
// Get and Put allocate nothing once the pool is warm. A slice belongs to whoever got it until it is put back; after
// Put nobody may touch it. Programs built with the race detector overwrite what is put back, so that a use after Put
// shows.
//
// All functions may be called concurrently.
package bufpool

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Max is the capacity of the largest tier. Larger slices are made for the occasion and left to the garbage collector.
const Max = 1 << maxShift

const (
	minShift  = 8  // 256 B
	maxShift  = 20 // 1 MiB
	tierShift = 2  // each tier is four times the one below
	tierCount = (maxShift-minShift)/tierShift + 1
)

// tiers hold pointers to the first of 256 B << (2*i) bytes. A pointer fits an interface as it is; a slice
// header would have to be allocated to go into one.
var tiers [tierCount]sync.Pool

// Get returns a slice of length size that is the caller's until Put. Its capacity is that of the smallest tier that
// holds size: 256 B, 1, 4, 16, 64, 256 KiB or 1 MiB. Its content is not defined. A size beyond Max gets a slice of its
// own, with a capacity of at least size.
func Get(size int) []byte {
	if size > Max {
		return make([]byte, size)
	}
	i := tierFor(size)
	if p, ok := tiers[i].Get().(unsafe.Pointer); ok {
		return unsafe.Slice((*byte)(p), capacity(i))[:size]
	}
	if n := capacity(i); n >= leadFrom {
		return make([]byte, lead+n)[lead : lead+size : lead+n]
	}
	return make([]byte, size, capacity(i))
}

// A large slice does not begin where a page does. Kernels copy with "rep movsb", for which AMD's Zen 3 and 4 take fifteen
// times as long when the destination lies 1 to 15 bytes higher in its page than the source in its own: 64 KiB behind a
// frame's head of a few bytes, which is copied to the beginning of a page, would take 19 µs instead of 1.
const (
	lead     = 64
	leadFrom = 64 << 10 // below that the room would cost more than is gained
)

// Put gives b back, with all of its capacity. A slice whose capacity is not exactly that of a tier is dropped, so it
// is safe to put back what came from elsewhere, as long as nobody else holds it.
func Put(b []byte) {
	i, ok := tierOf(cap(b))
	if !ok {
		return
	}
	poison(b[:cap(b)])
	tiers[i].Put(unsafe.Pointer(unsafe.SliceData(b)))
}

// Grow returns a slice of length size that begins with the content of b. If b has the capacity it is b itself;
// otherwise it is a larger lease and b has been put back.
func Grow(b []byte, size int) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	larger := Get(size)
	copy(larger, b)
	Put(b)
	return larger
}

// capacity returns the capacity of tier i.
func capacity(i int) int { return 1 << (minShift + tierShift*i) }

// tierFor returns the smallest tier that holds size.
func tierFor(size int) int {
	if size <= 1<<minShift {
		return 0
	}
	return (bits.Len(uint(size-1)) - minShift + tierShift - 1) / tierShift
}

// tierOf returns the tier whose capacity is exactly c.
func tierOf(c int) (int, bool) {
	if c < 1<<minShift || c > Max || c&(c-1) != 0 {
		return 0, false
	}
	shift := bits.TrailingZeros(uint(c)) - minShift
	return shift / tierShift, shift%tierShift == 0
}
