package websocket

import (
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Reading and writing a message in parts allocates its reader or writer, and nothing for each part.
func TestStreamAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools forget on purpose")
	}
	c := openEndless(t, wsframe.Server, frame(0x01, letters(3000))+frame(0x80, letters(40_000)))
	buf := make([]byte, 16<<10)
	read := testing.AllocsPerRun(300, func() {
		_, body, err := c.NextReader()
		for err == nil {
			_, err = body.Read(buf)
		}
		if err != io.EOF {
			t.Fatalf("got %v, want %v", err, io.EOF)
		}
	})
	written := testing.AllocsPerRun(300, func() {
		w, err := c.NextWriter(TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			w.Write(buf[:5000])
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if read != 1 || written != 1 {
		t.Errorf("%v allocations to read, %v to write; want 1 and 1", read, written)
	}
}
