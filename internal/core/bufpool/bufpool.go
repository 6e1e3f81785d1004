// Package bufpool is a pool of byte slices in a few sizes.
//
// Get and Put do not allocate once the pool is warm. A slice belongs to the caller of Get until Put; it must not be
// used after Put. In programs built with the race detector, Put overwrites the slice, so that a use after Put shows.
//
// All functions may be called concurrently.
package bufpool

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Max is the capacity of the largest tier. Larger slices are allocated by Get and left to the garbage collector by Put.
const Max = 1 << maxShift

const (
	minShift  = 8  // 256 B
	maxShift  = 20 // 1 MiB
	tierShift = 2  // each tier is four times the one below
	tierCount = (maxShift-minShift)/tierShift + 1
)

// tiers hold pointers to the first byte of slices of 256 B << (2*i). A pointer fits into an interface; a slice header
// would have to be allocated.
var tiers [tierCount]sync.Pool

// Get returns a slice of length size, which the caller owns until Put. Its capacity is that of the smallest tier that
// holds size: 256 B, 1, 4, 16, 64, 256 KiB or 1 MiB. Its content is undefined. For a size beyond Max, Get allocates a
// slice with a capacity of at least size.
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

// A large slice does not begin at the start of a page. Kernels copy with "rep movsb", which on AMD's Zen 3 and 4 takes
// fifteen times as long if the destination's offset in its page is 1 to 15 bytes higher than the source's. Copying 64
// KiB that follow a frame header of a few bytes to the start of a page would take 19 µs instead of 1.
const (
	lead     = 64
	leadFrom = 64 << 10 // for smaller slices the extra bytes cost more than they save
)

// Put returns b, with all of its capacity, to the pool. A slice whose capacity is not exactly that of a tier is
// dropped, so slices from elsewhere may be passed, as long as no other code uses them.
func Put(b []byte) {
	i, ok := tierOf(cap(b))
	if !ok {
		return
	}
	Poison(b[:cap(b)])
	tiers[i].Put(unsafe.Pointer(unsafe.SliceData(b)))
}

// Grow returns a slice of length size that begins with the content of b. If b has the capacity, that is b itself;
// otherwise it is a larger slice from the pool, and b has been put back. A slice of Max or more grows by a quarter at least, so
// that growing it by small steps is cheap, too.
func Grow(b []byte, size int) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	most := size
	if size > Max {
		most = max(size, cap(b)+cap(b)/4)
	}
	larger := Get(most)[:size]
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
	shift := uint(bits.TrailingZeros(uint(c))) - minShift
	return int(shift / tierShift), shift%tierShift == 0
}
