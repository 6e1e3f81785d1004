package http1

import (
	"bytes"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// The word-wide scans find what the byte-wise ones find: every byte at every place of a word, with every byte after it,
// because the arithmetic of one byte can reach into the next.
func TestScansAgreeWithTheirTwins(t *testing.T) {
	for at := range 17 {
		for c := range 256 {
			for next := range 256 {
				b := bytes.Repeat([]byte{'a'}, 26)
				b[at], b[at+1] = byte(c), byte(next)
				if got, want := indexControl(b, 0), ascii.Span(b, 0, ascii.Value); got != want {
					t.Fatalf("indexControl(%q) = %d, want %d", b, got, want)
				}
				if got, want := indexTargetEnd(b, 0), ascii.Span(b, 0, ascii.Target); got != want {
					t.Fatalf("indexTargetEnd(%q) = %d, want %d", b, got, want)
				}
				if got, want := indexNameEnd(b, 0), ascii.Span(b, 0, ascii.Token); got != want {
					t.Fatalf("indexNameEnd(%q) = %d, want %d", b, got, want)
				}
			}
		}
	}
}

// A scan that starts anywhere in a buffer finds the first byte from there on.
func TestScansFromTheMiddle(t *testing.T) {
	b := []byte("\x00\x00\x00aaaaaaaaaaaaaaaaaaaaaaaaaa\t\x00")
	for i := 3; i < len(b); i++ {
		if got, want := indexControl(b, i), len(b)-1; got != want {
			t.Errorf("indexControl from %d = %d, want %d", i, got, want)
		}
		if got, want := indexTargetEnd(b, i), max(i, len(b)-2); got != want {
			t.Errorf("indexTargetEnd from %d = %d, want %d", i, got, want)
		}
		if got, want := indexNameEnd(b, i), max(i, len(b)-2); got != want {
			t.Errorf("indexNameEnd from %d = %d, want %d", i, got, want)
		}
	}
}
