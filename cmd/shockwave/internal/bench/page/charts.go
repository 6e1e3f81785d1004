package page

import (
	"fmt"
	"math"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/axis"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// rateChart returns the chart of requests per second over time, or nil if the run was too short.
func rateChart(r *report.Report) *chart {
	rates, spans := r.Rates(), r.FullSeconds()
	if len(rates) < 2 {
		return nil
	}
	p, y := linearScale(r.Length(), axis.Most(rates), figures.RatePerSecond)
	c := &chart{Title: r.Noun.Title() + " per second", Y: y, X: p.timeMarks()}
	var line []point
	for i, v := range rates {
		at := spans[i].At
		line = append(line, point{at, v})
		c.points = append(c.points, reading{percentOf(min(at, p.right), p.right),
			fmt.Sprintf("%s: %s/s", secondName(at), figures.RatePerSecond(v))})
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(fromZero(line)), Filled: true}}
	for _, o := range r.Outages {
		from, to := percentOf(min(o.From, p.right), p.right), percentOf(min(o.To, p.right), p.right)
		c.Bands = append(c.Bands, band{from, to - from})
	}
	return c
}

// secondChart returns the chart of p50 and p99 of each second, or nil if the run was too short.
func secondChart(r *report.Report) *chart {
	spans := r.FullSeconds()
	if len(spans) < 2 {
		return nil
	}
	var median, slow []point
	least, top := math.Inf(1), 0.0
	for _, s := range spans {
		if s.P50 > 0 { // there were responses in that second
			least, top = min(least, s.P50), max(top, s.P99)
		}
		median, slow = append(median, point{s.At, s.P50}), append(slow, point{s.At, s.P99})
	}
	if top == 0 {
		return nil
	}
	p, y := logScale(r.Length(), least, top)
	c := &chart{Title: "Latency over time", Y: y, X: p.timeMarks()}
	for _, s := range spans {
		c.points = append(c.points, reading{percentOf(min(s.At, p.right), p.right),
			fmt.Sprintf("%s: p50 %s, p99 %s", secondName(s.At), figures.Microseconds(s.P50), figures.Microseconds(s.P99))})
	}
	c.Curves = []curve{
		{Class: "warm", Name: "p99", Line: p.path(fromZero(slow))},
		{Class: "wave", Name: "p50", Line: p.path(fromZero(median))},
	}
	return c
}

// fromZero prepends a point at x = 0, because the value of a second applies from its beginning.
func fromZero(places []point) []point {
	return append([]point{{0, places[0].y}}, places...)
}

func secondName(at float64) string { return "second " + figures.TrimZeros(fmt.Sprintf("%.1f", at)) }

// curveChart returns the chart of latency by percentile. Its x axis counts nines: each step to the right is the next of
// p90, p99, p99.9 and so on.
func curveChart(r *report.Report) *chart {
	if len(r.Curve) < 2 {
		return nil
	}
	var line []point
	var values []float64
	for _, at := range r.Curve {
		line, values = append(line, point{at.Nines, at.US}), append(values, at.US)
	}
	p, y := logScale(line[len(line)-1].x, axis.Least(values), line[len(line)-1].y)
	c := &chart{Title: "Latency by percentile", Y: y}
	for n := 0.0; n <= p.right; n++ {
		c.X = append(c.X, p.x(n, axis.Nines(n)))
	}
	for _, at := range line {
		name := fmt.Sprintf("p%.*f", max(1, int(at.x)), 100-100*math.Pow(10, -at.x))
		c.points = append(c.points, reading{percentOf(at.x, p.right), figures.TrimZeros(name) + ": " + figures.Microseconds(at.y)})
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(line), Filled: true}}
	return c
}

// barChart returns the histogram: the share of all responses for each latency range, on a logarithmic x axis.
func barChart(r *report.Report) *chart {
	total, most := int64(0), int64(0)
	for _, b := range r.Histogram {
		total, most = total+b.Count, max(most, b.Count)
	}
	if total == 0 {
		return nil
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(total) }
	p, y := linearScale(float64(len(r.Histogram)), share(most), func(v float64) string { return figures.TrimZeros(figures.Significant(v)) + " %" })
	c := &chart{Title: "How many took how long", Y: y}
	var line []point
	for i, b := range r.Histogram {
		x, v := float64(i), share(b.Count)
		line = append(line, point{x, 0}, point{x, v}, point{x + 1, v}, point{x + 1, 0})
		c.points = append(c.points, reading{percentOf(x+0.5, p.right), fmt.Sprintf("%s to %s: %s (%s)",
			figures.TwoDigits(b.From), figures.TwoDigits(b.To), figures.Grouped(b.Count), figures.Percent(b.Count, total))})
		if every := (len(r.Histogram) + 5) / 6; i%every == 0 {
			c.X = append(c.X, p.x(x, figures.TwoDigits(b.From)))
		}
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(line), Filled: true}}
	return c
}
