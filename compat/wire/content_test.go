package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
)

// content returns size bytes that number stands for: another number, other bytes.
func content(number uint64, size int64) io.Reader {
	var key [32]byte
	for i := range 8 {
		key[i], key[8+i] = byte(number>>(8*i)), byte(seed>>(8*i))
	}
	return io.LimitReader(rand.NewChaCha8(key), size)
}

// sum returns how much r has, and its sum.
func sum(r io.Reader) (text string, err error) {
	h := sha256.New()
	n, err := io.Copy(h, r)
	return fmt.Sprintf("%d %s", n, hex.EncodeToString(h.Sum(nil)[:8])), err
}

// sumOf is the sum of content.
func sumOf(number uint64, size int64) string {
	text, _ := sum(content(number, size))
	return text
}

// wantSum says how r differs from content.
func wantSum(r io.Reader, number uint64, size int64) error {
	got, err := sum(r)
	if want := sumOf(number, size); err != nil || got != want {
		return fmt.Errorf("got %s and %v, want %s", got, err, want)
	}
	return nil
}

// words returns text of size bytes that compresses.
func words(dice *rand.Rand, size int) []byte {
	text := make([]byte, 0, size+16)
	for len(text) < size {
		text = append(text, [...]string{"water ", "over ", "the ", "mill ", "naïve ", "wheel ", "0 ", "∞ "}[dice.IntN(8)]...)
	}
	text = text[:size]
	for i := size - 1; i >= 0 && i > size-4 && text[i] >= 0x80; i-- {
		text[i] = '.' // the character that was cut
	}
	return text
}

// noise returns size bytes that do not compress.
func noise(dice *rand.Rand, size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(dice.Uint32())
	}
	return p
}
