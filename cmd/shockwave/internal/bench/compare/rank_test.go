package compare

import (
	"math"
	"testing"
)

// The test agrees with values worked out by hand.
func TestMannWhitney(t *testing.T) {
	for _, tc := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 0.01219},
		{[]float64{6, 7, 8, 9, 10}, []float64{1, 2, 3, 4, 5}, 0.01219},
		{[]float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, 0.6650},
		{[]float64{1, 1, 2, 2, 3}, []float64{2, 2, 3, 3, 4}, 0.12512},
		{[]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, 1},
		{[]float64{1, 2, 3}, []float64{6, 7, 8, 9}, math.NaN()},
	} {
		got := mannWhitney(tc.a, tc.b)
		if math.IsNaN(tc.want) != math.IsNaN(got) || math.Abs(got-tc.want) > 0.0005 {
			t.Errorf("%v against %v: %.5f, want %.5f", tc.a, tc.b, got, tc.want)
		}
	}
}
