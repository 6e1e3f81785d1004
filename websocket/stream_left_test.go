package websocket

import (
	"errors"
	"io"
	"testing"
)

// A read skips the rest of a message that was left.
func TestLeftStreams(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		for _, read := range []int{0, 1, 5, 9, 10} {
			r.peer.Send(frame(0x01, "12345") + frame(0x89, "?") + frame(0x80, "67890") + text("next") + text("last"))
			_, left := r.nextReader()
			if p := make([]byte, read); read > 0 {
				if _, err := io.ReadFull(left, p); err != nil {
					t.Fatal(err)
				}
			}
			r.wantStream(TextMessage, "next")
			r.peer.Want(bare(0x8A, "?"))
			if n, err := left.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Fatalf("a reader that was left gives %d bytes, %v", n, err)
			}
			if _, p, err := r.c.ReadMessage(); string(p) != "last" || err != nil {
				t.Fatalf(`got %q, %v; want "last"`, p, err)
			}
		}
		r.peer.Send(frame(0x01, "never "))
		r.nextReader()
		r.peer.Send(frame(0x80, "mind") + text("next"))
		if _, p, err := r.c.ReadMessage(); string(p) != "next" || err != nil {
			t.Fatalf(`got %q, %v; want "next"`, p, err)
		}
	})
}

// Text is checked in the part of a message that is skipped, too.
func TestLeftTextIsChecked(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.peer.Send(frame(0x01, "good") + frame(0x80, "\xFF") + text("next"))
	r.nextReader()
	if _, _, err := r.c.NextReader(); !errors.Is(err, errText) {
		t.Error(err)
	}
	r.wantClose(CloseInvalidPayload)
}
