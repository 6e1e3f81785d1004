package httpread

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Received bytes stay until they are taken, and move along when the memory grows.
func TestBuffer(t *testing.T) {
	text := strings.Repeat("0123456789", 500)
	b := NewBuffer(iotest.OneByteReader(strings.NewReader(text)), 1)
	defer b.Release()
	for taken := 0; taken < len(text); {
		for len(b.Unread()) < min(700, len(text)-taken) {
			if unread, err := b.Fill(); err != nil || string(unread) != string(b.Unread()) {
				t.Fatal(err)
			}
		}
		if got := string(b.Unread()); got != text[taken:taken+len(got)] {
			t.Fatalf("after %d: %q", taken, got)
		}
		n := len(b.Unread()) / 2
		b.Take(n)
		p := make([]byte, 3)
		m, err := b.Read(p)
		if err != nil || m != min(3, len(text)-taken-n) || string(p[:m]) != text[taken+n:taken+n+m] {
			t.Fatalf("after %d: read %q, %v", taken+n, p[:m], err)
		}
		taken += n + m
	}
	if unread, err := b.Fill(); len(unread) > 0 || err != io.EOF {
		t.Errorf("at the end: %q, %v", unread, err)
	}
	if n, err := b.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		t.Errorf("at the end: read %d, %v", n, err)
	}
}

// A read that finds nothing buffered gets the connection's bytes without a copy.
func TestBufferReadsDirectly(t *testing.T) {
	b := NewBuffer(strings.NewReader("hello"), 1)
	defer b.Release()
	p := make([]byte, 4)
	if n, err := b.Read(p); n != 4 || err != nil || len(b.Unread()) > 0 {
		t.Errorf("read %d, %v; unread %q", n, err, b.Unread())
	}
}

// An error follows the bytes that came with it, and is returned again.
func TestBufferErrors(t *testing.T) {
	broken := errors.New("broken")
	b := NewBuffer(iotest.DataErrReader(io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken))), 1)
	defer b.Release()
	for _, want := range []error{nil, broken, broken} {
		if unread, err := b.Fill(); string(unread) != "ab" || err != want {
			t.Errorf("got %q, %v; want %v", unread, err, want)
		}
	}
	for _, n := range []int{-1, 3} {
		func() {
			defer func() { recover() }()
			b.Take(n)
			t.Errorf("took %d of 2", n)
		}()
	}
}
