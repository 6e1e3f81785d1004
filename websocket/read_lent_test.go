package websocket

import (
	"errors"
	"os"
	"testing"
	"time"
)

// A buffer is not written to after its read has ended, and the next read continues the message.
func TestBuffersAreLentForOneRead(t *testing.T) {
	message := text("caf\xC3\xA9 au lait")
	want := "caf\xC3\xA9 au lait"
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		for cut := 1; cut < len(message); cut++ {
			r.peer.Send(message[:cut])
			first := make([]byte, 64)
			r.c.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
			if _, _, err := r.c.ReadMessageInto(first); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal(err)
			}
			r.c.SetReadDeadline(time.Time{})
			for i := range first {
				first[i] = '#'
			}
			r.peer.Send(message[cut:] + message)
			var second [64]byte
			for range 2 {
				_, n, err := r.c.ReadMessageInto(second[:])
				if err != nil || string(second[:n]) != want {
					t.Fatalf("cut at %d: got %q, %v", cut, second[:n], err)
				}
			}
			for _, b := range first {
				if b != '#' {
					t.Fatalf("cut at %d: the first buffer was written to: got %q", cut, first)
				}
			}
		}
	})
}

// Messages of many receives are read whole into the caller's buffer, and nothing is held afterwards.
func TestLargeMessagesInto(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		p := letters(100_000)
		go r.peer.Send(binaryF(p) + frame(0x01, letters(10)) + frame(0x89, "") + frame(0x80, letters(50_000)) + binaryF(""))
		buf := make([]byte, 100_000)
		for _, want := range []string{p, letters(10) + letters(50_000), ""} {
			_, n, err := r.c.ReadMessageInto(buf)
			if err != nil || string(buf[:n]) != want {
				t.Fatalf("%d bytes, want %d: %v", n, len(want), err)
			}
			if r.c.recv.in.Held() > 0 {
				t.Error("input is still held")
			}
		}
	})
}
