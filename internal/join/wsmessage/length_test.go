package wsmessage

import (
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

func newAssembler(bits wsframe.RSV, limit int64) *Assembler {
	a := new(Assembler)
	a.Init(wsframe.Server, bits, limit)
	return a
}

func headerOf(length int64) wsframe.Header {
	return wsframe.Header{Kind: wsframe.Final(wsframe.Binary), Masked: true, Length: length}
}

// A message that is gathered must fit a slice, whatever the limit; one that is handed out in parts need not.
func TestAnnouncedLengths(t *testing.T) {
	for _, length := range []int64{1 << 30, math.MaxInt32, 1 << 31, 1<<32 + 5, math.MaxInt64} {
		for _, limit := range []int64{0, math.MaxInt64} {
			var want error
			if length > math.MaxInt {
				want = ErrTooBig
			}
			frame := wsframe.Append(nil, headerOf(length))
			gathered := newAssembler(0, limit)
			if e, _, _, err := gathered.Take(frame, nil); e != Nothing || err != want {
				t.Errorf("%d bytes to gather, limit %d: %v, want %v", length, limit, err, want)
			}
			streamed := newAssembler(0, limit)
			if e, _, n, err := streamed.TakePart(frame, nil); e != Nothing || n != len(frame) || err != nil {
				t.Errorf("%d bytes to stream, limit %d: %v", length, limit, err)
			}
		}
	}
}

// Bytes that are gathered count for the length of the slice; bytes handed out in parts only count for 2^63-1.
func TestAnnouncedFragments(t *testing.T) {
	first := wsframe.Header{Kind: wsframe.Kind(wsframe.Binary), Masked: true, Length: 5}
	next := wsframe.Header{Kind: wsframe.Final(wsframe.Continuation), Masked: true}
	for _, tc := range []struct {
		length int64
		want   error
	}{{math.MaxInt - 5, nil}, {math.MaxInt - 4, ErrTooBig}} {
		next.Length = tc.length
		frames := wsframe.Append(append(wsframe.Append(nil, first), "12345"...), next)
		in := newAssembler(0, 0)
		if _, _, _, err := in.Take(frames, nil); err != tc.want {
			t.Errorf("%d bytes behind 5 that are held: %v, want %v", tc.length, err, tc.want)
		}
		in.Drop()
		in = newAssembler(0, 0)
		_, p, n, err := in.TakePart(frames, make([]byte, 100))
		if len(p) != 5 || err != nil {
			t.Fatalf("%d bytes, %v", len(p), err)
		}
		var want error
		if tc.length > math.MaxInt64-5 {
			want = ErrTooBig
		}
		if _, _, _, err := in.TakePart(frames[n:], nil); err != want {
			t.Errorf("%d bytes behind 5 that were streamed: %v, want %v", tc.length, err, want)
		}
	}
}

// A compressed message is gathered even if it is to be handed out in parts, and the highest limit is none.
func TestAnnouncedCompressed(t *testing.T) {
	for _, limit := range []int64{0, math.MaxInt64 - 1, math.MaxInt64} {
		for _, length := range []int64{5, math.MaxInt32, 1 << 31, math.MaxInt64 - 1} {
			h := headerOf(length)
			h.Kind = h.With(wsframe.RSV1)
			var want error
			if length > math.MaxInt {
				want = ErrTooBig
			}
			in := newAssembler(wsframe.RSV1, limit)
			if _, _, _, err := in.TakePart(wsframe.Append(nil, h), make([]byte, 100)); err != want {
				t.Errorf("%d bytes, limit %d: %v, want %v", length, limit, err, want)
			}
		}
	}
}
