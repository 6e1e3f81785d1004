package axis

import (
	"fmt"
	"testing"
)

// The marks of an axis enclose the values, rise, and fit.
func TestLogAxis(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		want   string
	}{
		{220, 5500, "[160 250 400 630 1000 1600 2500 4000 6300]"},
		{200, 400, "[200 250 320 400 500]"},
		{300, 300, "[250 320]"},
		{1, 1e6, "[1 10 100 1000 10000 100000 1e+06]"},
		{0.1, 3.6e9, "[0.01 1 100 10000 1e+06 1e+08 1e+10]"},
	} {
		if got := fmt.Sprint(Log(tc.lo, tc.hi, 8)); got != tc.want {
			t.Errorf("from %v to %v: %s, want %s", tc.lo, tc.hi, got, tc.want)
		}
	}
	// The one fastest answer does not take the room of all others, nor leave the plot.
	if got := Least([]float64{1, 200, 300}); got != 200 {
		t.Errorf("the axis begins at %v", got)
	}
	for n, want := range map[float64]string{0: "p0", 1: "p90", 3: "p99.9", 5: "p99.999"} {
		if got := Nines(n); got != want {
			t.Errorf("%v nines are %s, want %s", n, got, want)
		}
	}
}
