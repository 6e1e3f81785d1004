package wiretest

import (
	"math/rand/v2"
	"sort"
)

// A Split decides how a stream is split. It is called with the offset of a read in the stream and the number n of bytes
// available, at least one, and returns how many bytes the read gets at most. A result outside 1…n counts as n. It is
// called under the pipe's lock and must not use the pipe.
type Split func(offset int64, n int) int

// EveryByte makes every read return one byte.
func EveryByte(int64, int) int { return 1 }

// At splits the stream at each of the offsets: no read returns bytes from both sides of one.
func At(offsets ...int64) Split {
	cuts := append([]int64(nil), offsets...)
	sort.Slice(cuts, func(i, j int) bool { return cuts[i] < cuts[j] })
	return func(offset int64, n int) int {
		next := sort.Search(len(cuts), func(i int) bool { return cuts[i] > offset })
		if next == len(cuts) || cuts[next]-offset > int64(n) {
			return n
		}
		return int(cuts[next] - offset)
	}
}

// Random splits the stream at random, into small pieces and whole ones about equally often. The same seed splits the
// same way. A Random must be used by only one end of one pipe.
func Random(seed uint64) Split {
	rng := rand.New(rand.NewPCG(seed, seed))
	return func(_ int64, n int) int {
		if rng.IntN(2) == 0 {
			return n
		}
		return 1 + rng.IntN(min(n, 8))
	}
}
