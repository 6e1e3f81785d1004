package pace

import (
	"testing"
)

// After the last turn those from "again" on repeat.
func TestTurns(t *testing.T) {
	once := Turns{All: 5, Again: 2} // 0 1 2 3 4 2 3 4 2 …
	for n, want := range []int{0, 1, 2, 3, 4, 2, 3, 4, 2} {
		if got := once.After(0, n); got != want {
			t.Errorf("%d after the first: %d, want %d", n, got, want)
		}
	}
	if got := once.After(3, 100); got != 4 { // 99 and 1: three threes on
		t.Errorf("100 after 3: %d", got)
	}
}
