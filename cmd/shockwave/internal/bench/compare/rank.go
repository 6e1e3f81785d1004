package compare

import (
	"cmp"
	"math"
	"slices"
)

// fewestSamples is how many values mannWhitney's normal approximation needs on each side.
const fewestSamples = 4

// mannWhitney returns the p value of the two-sided Mann–Whitney U test: the probability, from 0 to 1, that two lists
// drawn from one distribution differ in rank at least as much as a and b. It uses the normal approximation with
// corrections for ties and continuity, and assumes nothing about the distribution. It returns NaN if there are too few
// values.
func mannWhitney(a, b []float64) float64 {
	m, n := float64(len(a)), float64(len(b))
	if min(len(a), len(b)) < fewestSamples {
		return math.NaN()
	}
	type ranked struct {
		v     float64
		first bool
	}
	var all []ranked
	for _, v := range a {
		all = append(all, ranked{v, true})
	}
	for _, v := range b {
		all = append(all, ranked{v, false})
	}
	slices.SortFunc(all, func(x, y ranked) int { return cmp.Compare(x.v, y.v) })
	ranks, ties := 0.0, 0.0 // sum of a's ranks; sum of t³−t over all groups of t equal values
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].v == all[i].v {
			end++
		}
		t := float64(end - i)
		ties += t*t*t - t
		for ; i < end; i++ {
			if all[i].first {
				ranks += float64(end) - (t-1)/2 // mean rank of the group
			}
		}
	}
	u, total := ranks-m*(m+1)/2, m+n
	variance := m * n / 12 * (total + 1 - ties/(total*(total-1)))
	if variance == 0 {
		return 1 // all values are equal
	}
	z := max(0, math.Abs(u-m*n/2)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}
