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
	if !l.replace(&outMsg{b: []byte("second"), key: "k"}, 24) || l.replace(&outMsg{key: "none"}, 24) {
		t.Error("the wrong one is replaced")
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

// TestLineOfLongKeys: a message that replaces a shorter one does not make the queue larger than its limit. It is then to be added
// in its turn, and what it would have replaced is dropped.
func TestLineOfLongKeys(t *testing.T) {
	for _, key := range []string{"a", "b", "c"} {
		var l sendQueue
		for _, m := range []outMsg{{b: []byte("1st"), key: "a"}, {b: []byte("2nd"), key: "b"}, {b: []byte("3rd"), key: "c"}} {
			l.add(&m)
		}
		if l.replace(&outMsg{b: []byte("longer"), key: key}, 11) || l.messages != 2 || l.bytes != 6 || l.dropped != 1 {
			t.Errorf("%s: %+v", key, l)
		}
		var got string
		for !l.empty() {
			s := l.take()
			got += s.key
			s.free()
		}
		if want := strings.ReplaceAll("abc", key, ""); got != want || l.bytes != 0 {
			t.Errorf("%s: %q is left, want %q", key, got, want)
		}
		l.add(&outMsg{b: []byte("alone"), key: "a"})
		if !l.replace(&outMsg{b: []byte("of any size"), key: "a"}, 6) || l.bytes != 11 || l.messages != 1 {
			t.Errorf("alone: %+v", l)
		}
		l.clear()
	}
}
