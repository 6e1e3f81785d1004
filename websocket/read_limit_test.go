package websocket

import (
	"errors"
	"testing"
)

// SetReadLimit applies to the next frames, up and down, from any goroutine.
func TestSetReadLimit(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.serve(t, Config{ReadLimit: 10}, func(c *Conn, typ MessageType, p []byte) error {
			if len(p) == 10 {
				c.SetReadLimit(-1)
			}
			return c.WriteMessage(typ, p)
		})
		for _, n := range []int{10, 200} {
			r.peer.Send(binaryF(letters(n)))
			r.peer.Want(bare(0x82, letters(n)))
		}
		r.c.SetReadLimit(5)
		r.peer.Send(frame(0x02, "abc"))
		r.peer.Send(frame(0x80, "def"))
		r.wantClose(CloseMessageTooBig)
		if err := r.wantEnd(); !errors.Is(err, ErrTooBig) {
			t.Errorf("ended with %v", err)
		}
	})
}

// The read limit counts decompressed bytes, and 0 is the default.
func TestSetReadLimitOfCompressed(t *testing.T) {
	cfg := Config{Compression: ContextTakeover, ReadLimit: 100}
	c, s := Pipe(cfg, cfg)
	s.SetReadLimit(0)
	p := []byte(letters(100_000))
	if err := c.WriteMessage(TextMessage, p); err != nil {
		t.Fatal(err)
	}
	if _, got, err := s.ReadMessage(); err != nil || len(got) != len(p) {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	s.SetReadLimit(99_999)
	if err := c.WriteMessage(TextMessage, p); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ReadMessage(); !errors.Is(err, ErrTooBig) {
		t.Errorf("one byte too many: %v", err)
	}
	if _, _, err := c.ReadMessage(); CloseStatus(err) != CloseMessageTooBig {
		t.Errorf("the peer is told %v", err)
	}
}
