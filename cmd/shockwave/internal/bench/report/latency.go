package report

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Percentile is a cell of the latency table.
type Percentile struct {
	Name string
	US   float64
}

// Percentiles returns the cells of the latency table.
func (r *Report) Percentiles() []Percentile {
	l := r.Latency
	return []Percentile{
		{"min", l.Min}, {"p50", l.P50}, {"p75", l.P75}, {"p90", l.P90}, {"p99", l.P99}, {"p99.9", l.P999}, {"p99.99", l.P9999},
		{"max", l.Max}, {"mean", l.Mean}, {"stdev", l.Stdev},
	}
}

// Bars returns the histogram with density bars per power of ten. It has every bar from the least to the greatest
// latency, including empty ones.
func (r *Report) Bars(density int) []Bar {
	list := []Bar{}
	if r.Latency.Max <= 0 || r.Values == nil {
		return list
	}
	edge := func(k int) float64 { return figures.Rounded(math.Pow(10, float64(k)/float64(density)), 3) }
	k := int(math.Floor(math.Log10(max(r.Latency.Min, 0.1)) * float64(density)))
	for list = append(list, Bar{From: edge(k), To: edge(k + 1)}); list[len(list)-1].To < r.Latency.Max; {
		k++
		list = append(list, Bar{From: edge(k), To: edge(k + 1)})
	}
	i := 0
	for _, b := range r.Values.Distribution() {
		for i < len(list)-1 && Micros(b.To) > list[i].To {
			i++
		}
		list[i].Count += b.Count
	}
	return list
}

func newLatency(h *hdrhistogram.Histogram) Latency {
	at := func(percent float64) float64 { return Micros(h.ValueAtQuantile(percent)) }
	return Latency{
		Min: Micros(h.Min()), Mean: Micros(int64(h.Mean())), Max: Micros(h.Max()),
		P50: at(50), P75: at(75), P90: at(90), P99: at(99), P999: at(99.9), P9999: at(99.99),
		Stdev: Micros(int64(h.StdDev())),
	}
}

// newCurve samples h at evenly spaced numbers of nines, up to the last percentile that at least ten requests exceed.
func newCurve(h *hdrhistogram.Histogram) (curve []Point) {
	const step = 0.02
	last := math.Log10(float64(h.TotalCount())) - 1
	for i := 0; float64(i)*step <= last; i++ {
		nines := float64(i) * step
		curve = append(curve, Point{nines, Micros(h.ValueAtQuantile(100 - 100*math.Pow(10, -nines)))})
	}
	return curve
}
