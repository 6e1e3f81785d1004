package websocket

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// The end of the source between frames is io.EOF, and io.ErrUnexpectedEOF elsewhere.
func TestFramesCutOff(t *testing.T) {
	all := text("Hello") + frame(0x01, letters(200)) + frame(0x89, "") + frame(0x80, "x")
	ends := map[int]bool{0: true, 11: true, 11 + 208: true, 11 + 208 + 6: true, len(all): true}
	buf := make([]byte, 300)
	for cut := range len(all) + 1 {
		r := newReader(t, strings.NewReader(all[:cut]), 0)
		var err error
		for err == nil {
			_, _, err = r.ReadFrameInto(buf)
		}
		want := io.ErrUnexpectedEOF
		if ends[cut] {
			want = io.EOF
		}
		if err != want {
			t.Errorf("after %d bytes: %v, want %v", cut, err, want)
		}
	}
}

// Frames that break a rule are refused.
func TestFramesRefused(t *testing.T) {
	for _, tc := range []struct {
		name, sent string
		role       Role
	}{
		{"an unmasked frame of a client", bare(0x81, "Hello"), ServerRole},
		{"a masked frame of a server", text("Hello"), ClientRole},
		{"a reserved opcode, before more is there", "\x83", ServerRole},
		{"a reserved bit", frame(0xA1, "Hello"), ServerRole},
		{"a continuation of nothing", frame(0x80, "Hello"), ServerRole},
		{"a message in a message", frame(0x01, "Hel") + text("lo"), ServerRole},
		{"a long ping", frame(0x89, letters(126)), ServerRole},
		{"a frame after the close frame", closeFrame(CloseNormal, "") + frame(0x89, ""), ServerRole},
		{"a length that is longer than it needs to be", "\x82\xFE\x00\x7D", ServerRole},
		{"a length with its first bit set", "\x82\xFF\x80", ServerRole},
	} {
		r := NewFrameReader(strings.NewReader(tc.sent), tc.role, 0)
		buf := make([]byte, 1000)
		var err error
		for err == nil {
			_, _, err = r.ReadFrameInto(buf)
		}
		var pe *ProtocolError
		if !errors.As(err, &pe) || pe.Code != CloseProtocolError {
			t.Errorf("%s: %v", tc.name, err)
		}
		if _, _, again := r.ReadFrameInto(buf); again != err {
			t.Errorf("%s: first %v, then %v", tc.name, err, again)
		}
		r.Close()
	}
}

// A frame beyond the limit is refused with ErrTooBig.
func TestFrameLimit(t *testing.T) {
	buf := make([]byte, 2<<20)
	for _, tc := range []struct {
		limit int64
		size  int
		err   error
	}{
		{100, 100, nil}, {100, 101, ErrTooBig}, {0, 1 << 20, nil}, {0, 1<<20 + 1, ErrTooBig}, {-1, 1<<20 + 1, nil},
	} {
		r := newReader(t, strings.NewReader(binaryF(letters(tc.size))), tc.limit)
		if _, n, err := r.ReadFrameInto(buf); err != tc.err || err == nil && string(buf[:n]) != letters(tc.size) {
			t.Errorf("%d bytes, limit %d: %v, want %v", tc.size, tc.limit, err, tc.err)
		}
	}
}

// A header costs no more memory than the payload that arrives.
func TestClaimedLengths(t *testing.T) {
	for _, length := range []int64{1 << 30, math.MaxInt32, 1 << 31, 1<<32 + 5, 1 << 40, math.MaxInt64} {
		for _, limit := range []int64{math.MaxInt64, -1} {
			sent := string(wsframe.Append(nil, headerOf(length))) + letters(100_000)
			r := newReader(t, strings.NewReader(sent), limit)
			want, held := io.ErrUnexpectedEOF, 100_000
			if length > math.MaxInt {
				want, held = ErrTooBig, 0
			}
			if f, n, err := r.ReadFrameInto(make([]byte, 100)); f != nil || n != 0 || err != want {
				t.Fatalf("%d bytes, limit %d: %v, %d, %v, want %v", length, limit, f, n, err, want)
			}
			if len(r.held) != held || cap(r.held) > 8*held {
				t.Errorf("%d bytes are held in %d", len(r.held), cap(r.held))
			}
		}
	}
}

// headerOf returns the header of a client's message in one frame.
func headerOf(length int64) wsframe.Header {
	return wsframe.Header{Kind: wsframe.Final(wsframe.Binary), Masked: true, Key: 0x04030201, Length: length}
}
