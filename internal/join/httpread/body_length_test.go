package httpread

import (
	"io"
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
)

// The buffer of a body doubles until it has room for the known length, and never beyond an int.
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

// Bytes that the caller took itself count, and the last ones end the body.
func TestTook(t *testing.T) {
	b := streamed(http1.Framing{Delimiter: http1.ByLength, Length: 5}, -1)
	b.Took(3)
	if b.Left() != 2 || b.Ended() || b.Err() != nil {
		t.Errorf("after 3 of 5: %d left, ended %v, %v", b.Left(), b.Ended(), b.Err())
	}
	b.Took(2)
	if n, err := b.Read(received(t, behind, nil), make([]byte, 9)); !b.Ended() || n != 0 || err != io.EOF {
		t.Errorf("after all: ended %v, read %d, %v", b.Ended(), n, err)
	}
}
