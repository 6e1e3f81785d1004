package websocket

import (
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Any bytes give the same messages, read whole and in parts.
func FuzzStreams(f *testing.F) {
	f.Add([]byte(text("Hello")+frame(0x01, "caf\xC3")+frame(0x89, "?")+frame(0x80, "\xA9")+closeFrame(CloseNormal, "bye")), uint8(3), uint8(2))
	f.Add([]byte(frame(0x02, letters(200))+frame(0x00, "")+frame(0x80, letters(101))), uint8(200), uint8(9))
	f.Add([]byte(frame(0x01, "\xF4")+frame(0x80, "\x90")), uint8(1), uint8(1))
	f.Add([]byte(binaryF("")+frame(0x01, "")+frame(0x80, "")+"\x82\xFE\x01"), uint8(1), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, size, leave uint8) {
		want, wantErr := messagesOf(t, b)
		c := openScripted(t, b)
		for i := 0; ; i++ {
			typ, body, err := c.NextReader()
			left := err == nil && leave > 0 && i%int(leave) == int(leave)-1
			var p []byte
			for err == nil && !left {
				part := make([]byte, int(size)+1)
				var n int
				n, err = body.Read(part)
				p = append(p, part[:n]...)
			}
			switch {
			case left && i < len(want):
			case left: // it is not whole: the next call tells
				if _, _, err := c.NextReader(); err == nil || err.Error() != wantErr.Error() {
					t.Fatalf("after a message that was left: %v, want %v", err, wantErr)
				}
				return
			case err != io.EOF:
				if i < len(want) || err.Error() != wantErr.Error() {
					t.Fatalf("message %d of %d: %v, want %v", i, len(want), err, wantErr)
				}
				return
			case i >= len(want) || typ != want[i].Type || string(p) != string(want[i].Data):
				t.Fatalf("message %d of %d: got %v, %q", i, len(want), typ, p)
			}
		}
	})
}

func messagesOf(t *testing.T, b []byte) (all []Message, err error) {
	c := openScripted(t, b)
	for {
		typ, p, err := c.ReadMessage()
		if err != nil {
			return all, err
		}
		all = append(all, Message{typ, p})
	}
}

// openScripted returns a server's end whose client sends b and leaves.
func openScripted(t *testing.T, b []byte) *Conn {
	nc := new(scripted)
	nc.in.Reset(b)
	c, err := Config{ReadLimit: 300}.settings().open(&opened{role: wsframe.Server, nc: nc}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.CloseNow()
		within(t, "the end", c.Done())
	})
	return c
}
