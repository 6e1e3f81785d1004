package fieldtext

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// Chunks begin small and grow to 1 KiB. Long strings have memory of their own, and no string is split.
func TestChunksStaySmall(t *testing.T) {
	for _, code := range []bool{false, true} {
		var c Chunk
		largest := 0
		for i := range 500 {
			want := strings.Repeat("x", i%400)
			used := len(c.buf)
			var got string
			ok := true
			if code {
				got, ok = c.Huffman(huffman.Append(nil, want))
			} else {
				got = c.Text([]byte(want))
			}
			if got != want || !ok {
				t.Fatalf("%q %v, want %q", got, ok, want)
			}
			if i == 1 && cap(c.buf) != minChunk {
				t.Errorf("the first chunk has %d bytes", cap(c.buf))
			}
			if len(want) > ownBytes && len(c.buf) != used {
				t.Errorf("%d bytes are in the chunk", len(want))
			}
			largest = max(largest, cap(c.buf))
		}
		if largest != maxChunk {
			t.Errorf("the largest chunk has %d bytes", largest)
		}
		if got := c.Text(nil); unsafe.StringData(got) != nil {
			t.Error("an empty string points into a chunk")
		}
	}
}

// A malformed string takes no room, and does not affect the next one.
func TestMalformedCodeTakesNoRoom(t *testing.T) {
	var c Chunk
	first := c.Text([]byte("first"))
	if s, ok := c.Huffman([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff")); ok || s != "" || len(c.buf) != 5 {
		t.Errorf("%q %v, %d bytes are taken", s, ok, len(c.buf))
	}
	if second := c.Text([]byte("second")); first != "first" || second != "second" {
		t.Errorf("%q, %q", first, second)
	}
}
