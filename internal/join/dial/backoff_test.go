package dial

import (
	"testing"
	"time"
)

// wants checks that the next wait is at most top, and more than half of it.
func wants(t *testing.T, b *Backoff, top time.Duration) {
	t.Helper()
	if d := b.Next(); d > top || d <= top/2 {
		t.Fatalf("waits %v, want up to %v", d, top)
	}
}

// Waits double up to the longest, start again after a connection has lasted, and are the longest after Later.
func TestBackoff(t *testing.T) {
	const first, longest = 100 * time.Millisecond, time.Second
	b := &Backoff{First: first, Longest: longest}
	for range 20 { // the random part differs
		for _, top := range []time.Duration{first, 2 * first, 4 * first, 8 * first, longest, longest} {
			if wants(t, b, top); b.Lasted(longest - 1) {
				t.Fatal("a connection that has not lasted counts")
			}
		}
		if !b.Lasted(longest) {
			t.Fatal("a connection that has lasted does not count")
		}
	}
	wants(t, b, first)
	b.Later()
	wants(t, b, longest)
	wants(t, b, longest)
}

// Without a longest wait, a connection counts as lasting if it was there for longer than the next wait.
func TestBackoffWithoutLimit(t *testing.T) {
	b := &Backoff{First: time.Second}
	for top := time.Second; top < time.Hour; top *= 2 {
		wants(t, b, top)
	}
	if b.Lasted(time.Hour) {
		t.Error("an hour counts as lasting")
	}
	if !b.Lasted(2 * time.Hour) {
		t.Error("two hours do not count as lasting")
	}
	b.Later()
	wants(t, b, leastLonger)
}

// The shortest waits are bounded.
func TestBackoffOfNothing(t *testing.T) {
	b := &Backoff{Longest: 1}
	for range 3 {
		wants(t, b, time.Millisecond)
	}
}
