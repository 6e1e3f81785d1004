package streamsock

import (
	"strings"
	"testing"
)

// A message with a key is replaced alone.
func TestLineOfKeys(t *testing.T) {
	var l sendQueue
	for _, m := range []outMsg{{b: []byte("first"), key: "k"}, {b: []byte("plain")}, {b: []byte("more")}, {b: []byte("other"), key: "o"}, {b: []byte("last")}} {
		l.add(&m)
	}
	if !l.replace(&outMsg{b: []byte("second"), key: "k"}) || l.replace(&outMsg{key: "none"}) {
		t.Error("got another message replaced than the one with the key")
	}
	if l.messages != 5 || l.bytes != 24 || l.dropped != 1 || len(l.segs) != 4 {
		t.Errorf("got %+v; want 5 messages of 24 bytes in 4 segments, and 1 dropped", l)
	}
	var got []string
	for !l.empty() {
		s := l.take()
		got = append(got, string(s.b))
		s.free()
	}
	want := "\x00\x00\x00\x06second|\x00\x00\x00\x05plain\x00\x00\x00\x04more|\x00\x00\x00\x05other|\x00\x00\x00\x04last"
	if s := strings.Join(got, "|"); s != want || l.bytes != 0 {
		t.Errorf("%q, want %q", s, want)
	}
}
