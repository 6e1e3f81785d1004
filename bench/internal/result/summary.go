package result

import "slices"

// Summary is the median of a figure over the rounds, and its range. N is the number of rounds that have the figure; if it is
// 0, so are the others.
type Summary struct {
	Median, Min, Max float64
	N                int
}

// Summarize returns the summary of some figures. It does not change their order.
func Summarize(figures []float64) Summary {
	n := len(figures)
	if n == 0 {
		return Summary{}
	}
	f := slices.Sorted(slices.Values(figures))
	return Summary{Median: (f[(n-1)/2] + f[n/2]) / 2, Min: f[0], Max: f[n-1], N: n}
}

// Of returns the summary of one peer's figure.
func (s *Scenario) Of(peer, metric string) Summary {
	var all []float64
	for _, sample := range s.Samples {
		if v, ok := sample.Values[metric]; ok && sample.Peer == peer {
			all = append(all, v)
		}
	}
	return Summarize(all)
}

// Ratio returns the summary of a peer's figure divided by another's in the same round, so that a change of the machine's
// speed between two rounds has no influence. Rounds in which the other's figure is missing or 0 do not count.
func (s *Scenario) Ratio(peer, other, metric string) Summary {
	base := map[int]float64{}
	for _, sample := range s.Samples {
		if sample.Peer == other {
			base[sample.Round] = sample.Values[metric]
		}
	}
	var all []float64
	for _, sample := range s.Samples {
		if v, ok := sample.Values[metric]; ok && sample.Peer == peer && base[sample.Round] != 0 {
			all = append(all, v/base[sample.Round])
		}
	}
	return Summarize(all)
}

// Has reports whether the peer took part.
func (s *Scenario) Has(peer string) bool {
	return slices.ContainsFunc(s.Samples, func(one Sample) bool { return one.Peer == peer })
}
