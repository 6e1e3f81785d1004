package wsmessage

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// frame returns a masked frame with first as its first byte.
func frame(first byte, payload string) string {
	const key = 0x04030201
	b := wsframe.Append(nil, wsframe.Header{Kind: wsframe.Kind(first), Masked: true, Key: key, Length: int64(len(payload))})
	masked := make([]byte, len(payload))
	mask.XOR(masked, []byte(payload), key)
	return string(append(b, masked...))
}

var eventNames = [...]string{"nothing", "message", "ping", "pong", "close", "part", "last part"}

// conversation is all kinds of frames and the events that they are.
var conversation, conversationEvents = frame(0x81, "Hello") + frame(0x01, "Hel") + frame(0x89, "ping") + frame(0x00, "") + frame(0x80, "lo") +
	frame(0x82, "") + frame(0x82, strings.Repeat("x", 300)) + frame(0x8A, "pong") + frame(0x88, "\x03\xe8"),
	"message Hello|ping ping|message Hello|message |message " + strings.Repeat("x", 300) + "|pong pong|close \x03\xe8|"

// talk passes in to an Assembler, size bytes at a time, and returns the events. With begin, headers are taken by Begin.
func talk(t *testing.T, in string, size int, begin bool) (events string) {
	t.Helper()
	a := newAssembler(0, 0)
	defer a.Drop()
	var b []byte
	for len(in) > 0 {
		n := min(size, len(in))
		b = append(b, in[:n]...)
		in = in[n:]
		for {
			if begin && !a.InFrame() {
				n, err := a.Begin(b)
				if err != nil {
					t.Fatal(err)
				}
				if b = b[n:]; n == 0 {
					break
				}
			}
			e, p, n, err := a.Take(b, nil)
			if err != nil {
				t.Fatal(err)
			}
			if e != Nothing {
				events += eventNames[e] + " " + string(p) + "|"
			}
			b = b[n:]
			a.Release()
			if e == Nothing {
				break
			}
		}
	}
	if !a.Between() || a.Held() > 0 {
		t.Errorf("%d bytes are held at the end", a.Held())
	}
	return events
}

// The events are the same however the bytes are cut, and whichever function takes the headers.
func TestTake(t *testing.T) {
	for size := 1; size <= len(conversation); size++ {
		for _, begin := range []bool{false, true} {
			if got := talk(t, conversation, size, begin); got != conversationEvents {
				t.Fatalf("%d bytes at a time, begin %v: got %q", size, begin, got)
			}
		}
	}
}

// A message that has arrived whole is unmasked in place, also when its header came first, and any other has a buffer to
// detach.
func TestDetach(t *testing.T) {
	a := newAssembler(0, 0)
	b := []byte(frame(0x82, "Hello"))
	n, err := a.Begin(b)
	if err != nil || n != 6 {
		t.Fatal(n, err)
	}
	_, p, _, err := a.Take(b[n:], nil)
	if err != nil || &p[0] != &b[n] || a.Detach() != nil {
		t.Errorf("%q is not in place, %v", p, err)
	}
	b = []byte(frame(0x82, "Hello"))
	if _, _, n, err = a.Take(b[:8], nil); err != nil || a.Held() != 2 {
		t.Fatalf("%d bytes are held, %v", a.Held(), err)
	}
	_, p, _, err = a.Take(b[n:], nil)
	if own := a.Detach(); err != nil || string(own) != "Hello" || &own[0] != &p[0] || a.Held() != 0 {
		t.Errorf("%q, %v", own, err)
	}
}

// TakeInPlace unmasks the parts of a message where they lie.
func TestTakeInPlace(t *testing.T) {
	a := newAssembler(0, 0)
	in := []byte(frame(0x02, "Hel") + frame(0x89, "ping") + frame(0x80, "lo"))
	got := ""
	for len(in) > 0 {
		if !a.InFrame() {
			n, err := a.Begin(in)
			if err != nil {
				t.Fatal(err)
			}
			in = in[n:]
		}
		e, p, n, err := a.TakeInPlace(in, nil)
		if err != nil || e != Ping && &p[0] != &in[0] {
			t.Fatal(e, err)
		}
		got += eventNames[e] + " " + string(p) + "|"
		in = in[n:]
	}
	if got != "part Hel|ping ping|last part lo|" {
		t.Errorf("got %q", got)
	}
}
