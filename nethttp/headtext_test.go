package nethttp

import (
	"bytes"
	"strings"
	"testing"
)

func TestTextKeepsItsBytes(t *testing.T) {
	var kept, want []string
	b := make([]byte, 3*textChunk)
	for i := range 2000 {
		n := i * 7 % (2 * sharedLimit)
		for j := range n {
			b[j] = byte('a' + i%26)
		}
		kept = append(kept, immutable(b[:n]))
		want = append(want, strings.Repeat(string(rune('a'+i%26)), n))
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("text %d changed: %.20q, want %.20q", i, kept[i], want[i])
		}
	}
}

func TestShortTextSharesItsAllocation(t *testing.T) {
	b := bytes.Repeat([]byte("x"), sharedLimit/2)
	if n := testing.AllocsPerRun(1000, func() { immutable(b) }); n > 0.5 {
		t.Errorf("%v allocations for each text of %d bytes", n, len(b))
	}
}

// TestTextDoesNotPileUp: a chunk that is full is left to those who keep a part of it.
func TestTextDoesNotPileUp(t *testing.T) {
	b := bytes.Repeat([]byte("x"), sharedLimit/2)
	for range 1000 {
		immutable(b)
		chunk := textPool.Get().(*strings.Builder)
		if chunk.Cap() > 2*textChunk {
			t.Fatalf("a chunk of %d bytes", chunk.Cap())
		}
		textPool.Put(chunk)
	}
}
