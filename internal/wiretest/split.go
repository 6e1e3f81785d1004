package wiretest

import (
	"math/rand/v2"
	"sort"
)

// A Split says how a stream is cut. It is given where in the stream a read begins and how many bytes stand ready, at
// least one, and returns how many the read gets at most; what is not in 1…n is taken for n. It runs under the pipe's
// lock and must not use the pipe.
type Split func(offset int64, n int) int

// EveryByte gives every read one byte.
func EveryByte(int64, int) int { return 1 }

// At cuts the stream before each of the offsets: no read gets bytes from both sides of one.
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

// Random cuts the stream at random, small pieces and whole ones about equally often. The same seed cuts the same way.
// A Random belongs to one end of one pipe.
func Random(seed uint64) Split {
	rng := rand.New(rand.NewPCG(seed, seed))
	return func(_ int64, n int) int {
		if rng.IntN(2) == 0 {
			return n
		}
		return 1 + rng.IntN(min(n, 8))
	}
}
