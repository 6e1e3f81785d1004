package bufpool

import (
	"bytes"
	"sync"
	"testing"
)

// wantPanic fails unless f panics.
func wantPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// isBack reports whether b is in the pool again.
func isBack(b []byte) bool {
	if Poisoned {
		b = b[:cap(b)]
		return bytes.Count(b, b[:1]) == len(b) && b[0] == 0xDB
	}
	// The pool keeps the last one for each thread, and the goroutine may change threads.
	var taken [][]byte
	defer func() {
		for _, b := range taken {
			Put(b)
		}
	}()
	for range 200 {
		got := Get(cap(b))
		if &got[:1][0] == &b[:1][0] {
			Put(got)
			return true
		}
		taken = append(taken, got)
	}
	return false
}

// A shared slice stays unchanged while it has holders, and goes back to the pool with the last one.
func TestSharedCounts(t *testing.T) {
	b := append(Get(0), "kept by some"...)
	s := Share(b)
	for holders := 1; holders <= 4; holders++ {
		if string(s.Bytes()) != "kept by some" {
			t.Fatalf("with %d holders: %q", holders, s.Bytes())
		}
		if s.Sole() != (holders == 1) {
			t.Errorf("with %d holders Sole says %v", holders, s.Sole())
		}
		if got := s.Retain(); got != s {
			t.Error("Retain returned a different Shared")
		}
	}
	for holders := 4; holders >= 1; holders-- {
		s.Release()
		if s.Sole() != (holders == 1) {
			t.Errorf("with %d holders Sole says %v", holders, s.Sole())
		}
		if string(s.Bytes()) != "kept by some" {
			t.Fatalf("with %d holders: %q", holders, s.Bytes())
		}
		if &s.Bytes()[0] != &b[0] {
			t.Fatal("the bytes have moved")
		}
	}
	s.Release()
	if s.Sole() {
		t.Error("Sole is true for a slice without holders")
	}
	if s.Bytes() != nil {
		t.Error("a slice without a holder can still be read")
	}
	if !isBack(b) {
		t.Error("the slice did not go back to the pool")
	}
}

// A shared slice is not lent again while it has a holder.
func TestSharedIsKept(t *testing.T) {
	b := append(Get(0), "held"...)
	s := Share(b).Retain()
	s.Release()
	if isBack(b) {
		t.Fatal("a slice that is held went back to the pool")
	}
	if string(s.Bytes()) != "held" {
		t.Errorf("the holder reads %q", s.Bytes())
	}
	s.Release()
}

// One Release too many, and a Retain after the last Release, panic: they would give away the slice of the next owner, or
// use it.
func TestSharedMistakes(t *testing.T) {
	s := Share(Get(10))
	s.Release()
	wantPanic(t, "Release too many", s.Release)
	wantPanic(t, "Release once more", s.Release)
	s = Share(Get(10))
	s.Release()
	wantPanic(t, "Retain without a holder", func() { s.Retain() })
	wantPanic(t, "Retain of the zero Shared", func() { new(Shared).Retain() })
	wantPanic(t, "Release of the zero Shared", new(Shared).Release)
}

// A slice that is not the pool's is left to the garbage collector.
func TestSharedOfElsewhere(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("a literal"), make([]byte, Max+1)} {
		s := Share(b)
		if len(s.Bytes()) != len(b) {
			t.Errorf("%d bytes of %d", len(s.Bytes()), len(b))
		}
		s.Retain().Release()
		s.Release()
	}
}

// A slice that many read, retain and release at the same time goes back to the pool once. If it went back twice or too
// early, two would lease it at the same time and read each other's bytes.
func TestSharedStorm(t *testing.T) {
	const holders, rounds = 8, 200
	want := bytes.Repeat([]byte("0123456789abcdef"), 16)
	for range rounds {
		s := Share(append(Get(len(want))[:0], want...))
		var all sync.WaitGroup
		for i := range holders {
			s.Retain()
			all.Go(func() {
				for range i {
					s.Retain()
					if !bytes.Equal(s.Bytes(), want) {
						t.Error("a holder read wrong bytes")
					}
					s.Release()
				}
				s.Release()
				own := Get(len(want)) // perhaps the same slice, but then it has no other holder
				for j := range own {
					own[j] = byte(i)
				}
				if n := bytes.Count(own, []byte{byte(i)}); n != len(own) {
					t.Error("a slice was leased twice at the same time")
				}
				Put(own)
			})
		}
		s.Release()
		all.Wait()
		wantPanic(t, "Release after all", s.Release)
	}
}

// The function of ShareFunc is called once, with the last Release.
func TestShareFunc(t *testing.T) {
	for _, sent := range []bool{false, true} {
		var told []bool
		s := ShareFunc(Get(10), func(sent bool) { told = append(told, sent) }).Retain()
		s.Release()
		if sent {
			s.MarkSent()
		}
		if len(told) != 0 {
			t.Fatal("called too early")
		}
		s.Release()
		if len(told) != 1 || told[0] != sent {
			t.Errorf("called with %v, want %v once", told, sent)
		}
	}
	s := Share(Get(10))
	s.MarkSent()
	s.Release()
}
