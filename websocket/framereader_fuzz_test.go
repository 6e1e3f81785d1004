package websocket

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// A FrameReader returns what Parse and Sequence return, however the bytes and buffers are cut.
func FuzzFrameReader(f *testing.F) {
	f.Add([]byte(spoken()[:400]), uint8(3), false)
	f.Add([]byte(bare(0x01, "Hel")+bare(0x80, "lo")), uint8(0), true)
	f.Add([]byte("\x82\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x00\x00\x00many"), uint8(9), false)
	f.Add([]byte(text("a")+"\x83"), uint8(200), false)
	f.Fuzz(func(t *testing.T, b []byte, size uint8, client bool) {
		role := ServerRole
		if client {
			role = ClientRole
		}
		want, wantErr := framesOf(b, role)
		r := NewFrameReader(iotest.OneByteReader(strings.NewReader(string(b))), role, 1<<20)
		defer r.Close()
		for i := 0; ; i++ {
			fr, n, err := r.ReadFrameInto(make([]byte, size))
			if err == io.ErrShortBuffer {
				fr, _, err = r.ReadFrameInto(make([]byte, n))
			}
			if err != nil {
				if i != len(want) || !sameError(err, wantErr) {
					t.Fatalf("%d frames and %v, want %d and %v", i, err, len(want), wantErr)
				}
				return
			}
			if i >= len(want) || told(fr) != want[i] {
				t.Fatalf("frame %d: %s", i, told(fr))
			}
		}
	})
}

// sameError reports whether two errors have the same text.
func sameError(a, b error) bool { return a == b || a.Error() == b.Error() }

// framesOf returns the frames that a FrameReader must read from b.
func framesOf(b []byte, role Role) (frames []string, err error) {
	seq := wsframe.Incoming(role.frames(), 0)
	for len(b) > 0 {
		h, n, err := wsframe.Parse(b)
		switch {
		case err != nil:
			return frames, err
		case n == 0:
			return frames, io.ErrUnexpectedEOF
		}
		if err := seq.Next(h); err != nil {
			return frames, err
		}
		if h.Length > 1<<20 {
			return frames, ErrTooBig
		}
		if b = b[n:]; int64(len(b)) < h.Length {
			return frames, io.ErrUnexpectedEOF
		}
		payload := make([]byte, h.Length)
		for i := range payload {
			payload[i] = b[i] ^ byte(h.Key>>(8*(i%4)))
		}
		frames = append(frames, told(&Frame{h.Fin(), Opcode(h.Opcode()), RSV(h.RSV()), payload, h.Length}))
		b = b[h.Length:]
	}
	return frames, io.EOF
}
