package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
)

// noise is the data that bodies are cut from. Its length is a prime, so that no power of two is a period of a body.
var noise = func() []byte {
	b := make([]byte, 65521)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

// pattern is the body of a request or response: size bytes of noise from an offset that depends on the request number. It can
// be read, or be compared with the bytes that are written to it.
type pattern struct {
	at   int
	left int64
}

func patternOf(number uint64, size int64) *pattern {
	return &pattern{at: int(number * 31 % uint64(len(noise))), left: size}
}

// next returns up to n further bytes of the pattern. The caller must not change them.
func (p *pattern) next(n int) []byte {
	n = int(min(int64(n), p.left, int64(len(noise)-p.at)))
	b := noise[p.at : p.at+n]
	p.at = (p.at + n) % len(noise)
	p.left -= int64(n)
	return b
}

// Read reads the pattern up to its size.
func (p *pattern) Read(b []byte) (n int, err error) {
	for n < len(b) && p.left > 0 {
		n += copy(b[n:], p.next(len(b)-n))
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Write returns an error unless b equals the next bytes of the pattern.
func (p *pattern) Write(b []byte) (n int, err error) {
	for n < len(b) {
		want := p.next(len(b) - n)
		if len(want) == 0 {
			return n, fmt.Errorf("%d bytes too many", len(b)-n)
		}
		if !bytes.Equal(b[n:n+len(want)], want) {
			return n, fmt.Errorf("wrong bytes, %d before the end", p.left+int64(len(want)))
		}
		n += len(want)
	}
	return n, nil
}

// whole returns an error unless the whole pattern has been read or written.
func (p *pattern) whole() error {
	if p.left > 0 {
		return fmt.Errorf("%d bytes are missing", p.left)
	}
	return nil
}
