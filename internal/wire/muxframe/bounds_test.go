package muxframe_test

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// Numbers and lengths at the bounds of their encodings are read as they were written.
func TestHeadsAtTheBounds(t *testing.T) {
	numbers := []uint32{1, 126, 127, 128, 129, 1<<14 - 1, 1 << 14, 1<<21 - 1, 1 << 21, muxframe.MaxChannel}
	lengths := []int{1, 126, 127, 128, 129, 1<<14 - 1, 1 << 14, muxframe.MaxData}
	for _, channel := range numbers {
		for _, length := range lengths {
			b := muxframe.AppendData(nil, channel, muxframe.Fin, length)
			if n := muxframe.DataHead(channel, length); n != len(b) || n > muxframe.MaxHead {
				t.Errorf("channel %d, %d bytes: the head has %d bytes, and reports %d", channel, length, len(b), n)
			}
			typ, flags, number, size := muxframe.Measure(b)
			if typ != muxframe.Data || flags != muxframe.Fin || number != channel || size != len(b)+length {
				t.Errorf("channel %d, %d bytes: measured as %v %d %d %d", channel, length, typ, flags, number, size)
			}
			var r muxframe.Reader
			var f muxframe.Frame
			n, err := r.Next(append(b, 'x'), &f)
			if err != nil || n != len(b)+1 || f.Channel != channel || f.Length != length || len(f.Payload) != 1 || f.Ends != (length == 1) {
				t.Errorf("channel %d, %d bytes: read as %+v, %d, %v", channel, length, f, n, err)
			}
		}
	}
}

// SetVoid changes only the flag of a DATA frame.
func TestSetVoid(t *testing.T) {
	b := muxframe.AppendData(nil, 7, muxframe.Fin|muxframe.Exempt, 5)
	muxframe.SetVoid(b)
	if typ, flags, channel, size := muxframe.Measure(b); typ != muxframe.Data || flags != muxframe.Fin|muxframe.Exempt|muxframe.Void ||
		channel != 7 || size != 8 {
		t.Errorf("%v %d %d %d", typ, flags, channel, size)
	}
}

// The types with the highest bit set belong to the connection and are not counted.
func TestCounted(t *testing.T) {
	for typ := muxframe.Data; typ <= muxframe.Kill; typ++ {
		if typ.Counted() != (typ <= muxframe.Goaway) {
			t.Errorf("%v: %v", typ, typ.Counted())
		}
	}
}

// Reasons and kinds have names, unknown ones a number or "?".
func TestWords(t *testing.T) {
	for r, want := range map[muxframe.Refusal]string{
		0: "reason 0", 1: "malformed greeting", 7: "session closed", 8: "reason 8", 65535: "reason 65535",
	} {
		if r.String() != want {
			t.Errorf("%d: %q, want %q", r, r, want)
		}
	}
	for k, want := range map[muxframe.Kind]string{0: "?", 1: "HELLO", 7: "REFUSED", 8: "?", 255: "?"} {
		if k.String() != want {
			t.Errorf("%d: %q, want %q", k, k, want)
		}
	}
}

// No control frame exceeds MaxControl, not counting the texts of OPEN and KILL.
func TestLargestControlFrame(t *testing.T) {
	const channel, code, messages = muxframe.MaxChannel, 1<<32 - 1, 1<<63 - 1
	name, meta := string(make([]byte, muxframe.MaxName)), make([]byte, muxframe.MaxMetadata)
	if n := len(muxframe.AppendGrant(nil, channel, messages, muxframe.MaxCredit)); n != muxframe.MaxControl {
		t.Errorf("a GRANT has %d bytes", n)
	}
	for what, b := range map[string][]byte{
		"DATA without payload": muxframe.AppendData(nil, channel, muxframe.Fin, 0),
		"END":                  muxframe.AppendEnd(nil, channel, muxframe.Stop),
		"RESET":                muxframe.AppendReset(nil, channel, code),
		"WINDOW":               muxframe.AppendWindow(nil, channel, muxframe.MaxCredit),
		"GOAWAY":               muxframe.AppendGoaway(nil, channel),
		"ACK":                  muxframe.AppendAck(nil, messages),
		"PING":                 muxframe.AppendPing(nil, muxframe.Ping, 1<<64-1),
		"OPEN, its head":       muxframe.AppendOpen(nil, channel, name, meta)[len(name)+len(meta):],
	} {
		if len(b) > muxframe.MaxControl {
			t.Errorf("%s has %d bytes", what, len(b))
		}
	}
}
