package budget

import (
	"math"
	"testing"
)

// A reservation succeeds up to the limit and not beyond it, and a charge always succeeds.
func TestBudget(t *testing.T) {
	b := New(10)
	if !b.Reserve(6) || b.Reserve(5) || b.Used() != 6 {
		t.Errorf("%d bytes are in use, want 6", b.Used())
	}
	if !b.Room(4) || b.Room(5) {
		t.Error("no room for the last 4 bytes")
	}
	b.Charge(100)
	if b.Used() != 106 || b.Room(1) {
		t.Errorf("%d bytes are in use, want 106", b.Used())
	}
	b.Release(106)
	b.SetLimit(3)
	if b.Reserve(4) || !b.Reserve(3) {
		t.Error("the new limit is not respected")
	}
}

// The highest limit has room for everything.
func TestNoLimit(t *testing.T) {
	b := New(math.MaxInt64)
	b.Charge(1 << 40)
	if !b.Room(1<<40) || !b.Reserve(1<<40) {
		t.Error("no room without a limit")
	}
}
