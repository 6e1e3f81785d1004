package lenframe

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

type vector struct{ wiretest.StreamVector }

// The test vectors of the documentation are read as they say.
func TestVectors(t *testing.T) {
	seen := map[string]int{}
	for _, read := range wiretest.StreamVectors(t, "../../../docs") {
		v := vector{read}
		if v.TCP != nil {
			seen["tcp "+v.TCP.End.Reason]++
			for _, size := range []int{1, 7, 4096, 1 << 20} {
				v.wantStream(t, "tcp", v.TCP.End, slices.Collect(slices.Chunk([]byte(v.TCP.Bytes), size))...)
			}
			if v.TCP.End.Reason == "eof" && !bytes.Equal(v.written(), v.TCP.Bytes) {
				t.Errorf("%s: the messages are written otherwise", v.Name)
			}
		}
		if v.WS != nil {
			seen["ws "+v.WS.End.Reason]++
			v.wantOneToOne(t)
		}
		for i, f := range v.Prefixed {
			seen["prefixed "+f.End.Reason]++
			var pieces [][]byte
			for _, frame := range f.Frames {
				if frame.Opcode == 0 || frame.Opcode == 2 {
					pieces = append(pieces, frame.Payload)
				}
			}
			v.wantStream(t, fmt.Sprintf("prefixed %d", i), f.End, pieces...)
		}
	}
	for _, kind := range []string{
		"tcp eof", "tcp truncated", "tcp too-large", "ws closed", "ws truncated", "ws too-large", "ws text",
		"prefixed closed", "prefixed truncated", "prefixed too-large", "prefixed text",
	} {
		if seen[kind] == 0 {
			t.Errorf("no vector is of the kind %q", kind)
		}
	}
}

// written returns the messages as a byte stream.
func (v *vector) written() []byte {
	var b []byte
	for _, m := range v.Messages {
		b = Append(b, m)
	}
	return b
}

// wantStream reads pieces of a byte stream.
func (v *vector) wantStream(t *testing.T, where string, end wiretest.StreamEnd, pieces ...[]byte) {
	t.Helper()
	want := ""
	for _, m := range v.Messages {
		want += fmt.Sprintf("%x, ", m)
	}
	switch {
	case end.Reason == "too-large":
		want += fmt.Sprintf("too large %d", end.Length)
	case end.Reason == "truncated" && !(end.Code == 1006 && bytes.Equal(bytes.Join(pieces, nil), v.written())):
		want += io.ErrUnexpectedEOF.Error()
	default: // in order, or at least between two messages
		want += io.EOF.Error()
	}
	if got := gather(t, &Reader{MaxMessage: v.Max}, pieces...); got != want {
		t.Errorf("%s, %s:\n got %.200s\nwant %.200s", v.Name, where, got, want)
	}
}

// wantOneToOne assembles the frames of a WebSocket message by itself, because this package does not import the code that
// does so.
func (v *vector) wantOneToOne(t *testing.T) {
	t.Helper()
	var got [][]byte
	msg, reason, code := []byte(nil), "truncated", 1006
	for _, f := range v.WS.Frames {
		switch f.Opcode {
		case 0, 2:
			if msg = append(msg, f.Payload...); Check(len(msg), v.Max) != nil {
				reason, code = "too-large", 1009
			} else if f.Fin {
				got, msg = append(got, msg), nil
			}
		case 1:
			reason, code = "text", 1003
		case 8:
			reason, code = "closed", 1005
			if len(f.Payload) > 0 {
				code = int(f.Payload[0])<<8 | int(f.Payload[1])
			}
		}
	}
	same := slices.EqualFunc(got, v.Messages, func(a []byte, b wiretest.VectorBytes) bool { return bytes.Equal(a, b) })
	if !same || reason != v.WS.End.Reason || code != v.WS.End.Code {
		t.Errorf("%s, ws: %d messages of %d, then %s %d, want %+v", v.Name, len(got), len(v.Messages), reason, code, v.WS.End)
	}
}
