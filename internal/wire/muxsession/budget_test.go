package muxsession

import (
	"errors"
	"testing"
)

// Frames without effect are limited to a burst, and then to a rate per second.
func TestBudget(t *testing.T) {
	const second = 1e9
	var b budget
	for _, step := range []struct {
		now  int64
		n    int
		want bool // it is refused
		why  string
	}{
		{second, budgetBurst, false, "all at once"},
		{second, 1, true, "one more"},
		{2 * second, budgetRate - 1, false, "a second later, with the one that was too many"},
		{2 * second, 1, true, "one more"},
		{2*second + 200_000, 1, false, "as soon as there is one more"},
		{100 * second, budgetBurst + 1, false, "what was not spent in between is not saved"},
		{100 * second, 1, true, "one more"},
	} {
		var err error
		for range step.n {
			err = errors.Join(err, b.spend(step.now, 1))
		}
		if (err != nil) != step.want {
			t.Fatalf("%s: %v, %d are spent", step.why, err, b.spent)
		}
	}
}
