//go:build amd64 && !noasm

package utf8x

import (
	"bytes"
	"testing"
)

// On a processor with AVX2 the assembly is used.
func TestAssemblyRan(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	b := bytes.Repeat([]byte("字"), 100)
	if n := goodPrefix(b); n != len(b) {
		t.Errorf("goodPrefix of %d good bytes = %d; the twin says 0", len(b), n)
	}
	b[200] = 'a'
	if n := goodPrefix(b); n < 128 || n > 200 {
		t.Errorf("goodPrefix of a text that is bad at 200 = %d", n)
	}
}

// The twin gives the same results on this machine, too.
func TestWithoutAVX2(t *testing.T) {
	defer func(had bool) { hasAVX2 = had }(hasAVX2)
	hasAVX2 = false
	t.Run("faults", TestFaultsAtEveryOffset)
	t.Run("texts", TestRandomTexts)
	t.Run("cuts", TestManyCuts)
}
