package axis

import (
	"fmt"
	"math"
	"slices"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Least returns the beginning of a logarithmic axis. It ignores the fastest response of all, an outlier that
// would leave no room for the others.
func Least(byPercentile []float64) float64 {
	if len(byPercentile) > 1 {
		byPercentile = byPercentile[1:]
	}
	return max(slices.Min(byPercentile), 0.1)
}

// Nines returns the name of the percentile with n nines: 0 is p0, 1 is p90, 2 is p99.
func Nines(n float64) string {
	return "p" + figures.TrimZeros(fmt.Sprintf("%.*f", max(0, int(math.Round(n))-2), 100-100*math.Pow(10, -n)))
}

// Log divides the range from lo to hi, both greater than 0, into at most steps steps of equal ratio, with round
// numbers where possible: 10, 5, 3, 2 or 1 steps per power of ten. It returns the marks; the first is at most lo and
// the last at least hi.
func Log(lo, hi float64, steps int) (marks []float64) {
	for _, density := range []float64{10, 5, 3, 2, 1, 0.5} {
		first, last := math.Floor(math.Log10(lo)*density+1e-9), math.Ceil(math.Log10(hi)*density-1e-9)
		last = max(last, first+1)
		if int(last-first) > steps && density > 0.5 {
			continue
		}
		for k := first; k <= last; k++ {
			marks = append(marks, figures.Rounded(math.Pow(10, k/density), 2))
		}
		break
	}
	return marks
}

// Linear divides the range from 0 to top into at most rows round steps.
func Linear(top float64, rows int) (step float64, n int) {
	if top <= 0 {
		return 1, 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(top/float64(rows))))
	for _, round := range []float64{1, 2, 2.5, 5, 10} {
		step = unit * round
		if n = int(math.Ceil(top/step - 1e-9)); n <= rows {
			break
		}
	}
	return step, max(n, 1)
}

// TimeTicks returns how many marks a time axis should have so that they are whole seconds, if possible.
func TimeTicks(last float64) int {
	for n := 8; n >= 3; n-- {
		if part := last / float64(n-1); part == math.Trunc(part) {
			return n
		}
	}
	return 5
}

// Most returns the largest value, and at least 0.
func Most(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, v)
	}
	return most
}
