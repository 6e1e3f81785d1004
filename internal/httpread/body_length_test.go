package httpread

import (
	"math"
	"testing"
)

// TestBodyGrows: a buffer doubles until it has all that is known to come, and never beyond what an int can count.
func TestBodyGrows(t *testing.T) {
	for _, c := range []struct {
		length int64 // -1: chunked
		have   int
		want   int
	}{
		{-1, 0, 4 << 10},
		{-1, 4 << 10, 8 << 10},
		{10, 0, 10},
		{6 << 10, 4 << 10, 6 << 10},
		{math.MaxInt32, 1 << 30, math.MaxInt32},
		{-1, 1 << 30, min(math.MaxInt, 1<<31)},
		{1 << 40, 1<<30 + 1, min(math.MaxInt, 1<<31+2)},
		{-1, math.MaxInt32 - 1, min(math.MaxInt, 1<<32-4)},
	} {
		b := Body{length: c.length, read: int64(c.have)}
		if got := b.capacity(c.have); got != c.want {
			t.Errorf("%d bytes of %d are given room for %d, want %d", c.have, c.length, got, c.want)
		}
	}
}
