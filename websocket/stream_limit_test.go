package websocket

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// A broken rule ends a message at its bad byte, and the limit counts what was read in parts.
func TestStreamLimits(t *testing.T) {
	for _, tc := range []struct {
		name, sent string
		read       string
		code       CloseCode
	}{
		{"a frame beyond the limit", binaryF(letters(2001)), "", CloseMessageTooBig},
		{"fragments beyond the limit", frame(0x02, letters(1500)) + frame(0x00, letters(501)), letters(1500), CloseMessageTooBig},
		{"empty fragments", frame(0x02, "caf") + strings.Repeat(frame(0x00, ""), 129), "caf", ClosePolicyViolation},
		{"a bad byte, at once", frame(0x01, "caf\xC3") + frame(0x00, "e"), "caf\xC3", CloseInvalidPayload},
		{"text cut inside a code point", frame(0x01, "caf\xC3") + frame(0x80, ""), "caf\xC3", CloseInvalidPayload},
		{"an unmasked fragment", frame(0x01, "caf") + bare(0x80, "e"), "caf", CloseProtocolError},
		{"a message in a message", frame(0x01, "caf") + text("e"), "caf", CloseProtocolError},
		{"a close frame in a message", frame(0x01, "caf") + closeFrame(CloseGoingAway, ""), "caf", CloseGoingAway},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, f face) {
				r := f.open(t, Config{ReadLimit: 2000})
				r.peer.Send(tc.sent)
				_, body, err := r.c.NextReader()
				var p []byte
				if err == nil {
					p, err = io.ReadAll(body)
				}
				if string(p) != tc.read || err == nil {
					t.Errorf("read %q and %v", p, err)
				}
				r.wantClose(tc.code)
				if r.c.Err() != err {
					t.Errorf("ended with %v, not with %v", r.c.Err(), err)
				}
			})
		})
	}
}

// The read limit is that of one message.
func TestStreamLimitOfOne(t *testing.T) {
	r := faces[0].open(t, Config{ReadLimit: 100})
	for range 5 {
		r.peer.Send(frame(0x02, letters(60)) + frame(0x80, letters(40)))
		r.wantStream(BinaryMessage, letters(60)+letters(40))
	}
}

// A message without a limit that is read in parts holds no more than a buffer.
func TestStreamMemory(t *testing.T) {
	var before, after runtime.MemStats
	huge := "\x82\xFF\x00\x00\x7F\x00\x00\x00\x00\x00\x01\x02\x03\x04" + letters(4096)
	r, err := Config{ReadLimit: -1}.settings().open(&opened{role: wsframe.Server, nc: &endless{bytes: huge}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, body, err := r.NextReader()
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 3000)
	runtime.ReadMemStats(&before)
	if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(body, 64<<20), p); n != 64<<20 || err != nil {
		t.Fatalf("got %v, %v; want %v", n, err, 64<<20)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	r.CloseNow()
	if n, err := body.Read(p); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("after CloseNow: got %d, %v", n, err)
	}
}
