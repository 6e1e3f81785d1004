package websocket

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestFramesCutOff: the end between frames is an end, and anywhere else a surprise.
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

// TestClaimedLengths: a header that promises the world costs no more than what follows it.
func TestClaimedLengths(t *testing.T) {
	for _, limit := range []int64{1 << 40, -1} {
		sent := "\x82\xFF\x00\x00\x00\x7F\x00\x00\x00\x00\x01\x02\x03\x04" + letters(100_000)
		r := newReader(t, strings.NewReader(sent), limit)
		if f, _, err := r.ReadFrameInto(make([]byte, 100)); f != nil || err != io.ErrUnexpectedEOF {
			t.Fatalf("%v, %v", f, err)
		}
		if len(r.held) != 100_000 || cap(r.held) > 8*100_000 {
			t.Errorf("%d bytes are held in %d", len(r.held), cap(r.held))
		}
	}
}
