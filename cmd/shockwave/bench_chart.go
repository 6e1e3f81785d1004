package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// chart is a plot of the page. Curves are drawn in a box of chartWidth × chartHeight that the page stretches; labels
// stand beside it at percentages, so that they keep their size.
type chart struct {
	Title  string
	Curves []curve
	X, Y   []mark
	points []reading
}

const (
	chartWidth  = 1000
	chartHeight = 100
)

// curve is a line of a chart and, if Name is not "", its legend.
type curve struct {
	Class, Name string
	Line        string // of an SVG path
	Filled      bool
}

// mark is a label on an axis.
type mark struct {
	At   float64 // percent of the axis
	Text string
}

// reading is what the page says when one points at a place of the chart.
type reading struct {
	At   float64 `json:"at"` // percent of the x axis
	Text string  `json:"text"`
}

// Readings are the chart's readings as JSON.
func (c *chart) Readings() (string, error) {
	b, err := json.Marshal(c.points)
	return string(b), err
}

// Area closes a curve's line down to the x axis.
func (c curve) Area() string { return fmt.Sprintf("%sV%dH0Z", c.Line, chartHeight) }

// place is a point of a curve, in the units of what is plotted.
type place struct{ x, y float64 }

// plan is the scale of a chart: both axes begin at 0.
type plan struct{ right, top float64 }

// path is the line through places.
func (p plan) path(places []place) string {
	var b strings.Builder
	for i, at := range places {
		b.WriteByte("ML"[min(i, 1)])
		fmt.Fprintf(&b, "%.1f %.2f", chartWidth*min(at.x/p.right, 1), chartHeight*(1-at.y/p.top))
	}
	return b.String()
}

func (p plan) x(v float64, text string) mark { return mark{percentOf(v, p.right), text} }

func percentOf(v, whole float64) float64 { return math.Round(1e4*v/whole) / 100 }

// scaled returns the plan for values up to top, and the marks of its y axis.
func scaled(right, top float64, label func(float64) string) (p plan, marks []mark) {
	step, n := axis(top, 5)
	p = plan{right, step * float64(n)}
	for i := range n + 1 {
		marks = append(marks, mark{percentOf(float64(i), float64(n)), label(step * float64(i))})
	}
	return p, marks
}

// timeMarks are the marks of an axis of seconds.
func (p plan) timeMarks() (marks []mark) {
	n := timeTicks(p.right)
	for i := range n {
		at := p.right * float64(i) / float64(n-1)
		marks = append(marks, p.x(at, trimZeros(fmt.Sprintf("%.1f", at))+" s"))
	}
	return marks
}

// rateChart is requests per second over time; nil if the run was too short.
func (r *benchReport) rateChart() *chart {
	rates, spans := r.rates(), r.steady()
	if len(rates) < 2 {
		return nil
	}
	p, y := scaled(r.length(), maximum(rates), ratePerSecond)
	c := &chart{Title: r.what.title() + " per second", Y: y, X: p.timeMarks()}
	var line []place
	for i, v := range rates {
		at := spans[i].At
		line = append(line, place{at, v})
		c.points = append(c.points, reading{percentOf(min(at, p.right), p.right),
			fmt.Sprintf("%s: %s/s", secondName(at), ratePerSecond(v))})
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(fromZero(line)), Filled: true}}
	return c
}

// secondChart is the median and the slowest hundredth of each second; nil if the run was too short.
func (r *benchReport) secondChart() *chart {
	spans := r.steady()
	if len(spans) < 2 {
		return nil
	}
	var median, slow []place
	top := 0.0
	for _, s := range spans {
		median, slow, top = append(median, place{s.At, s.P50}), append(slow, place{s.At, s.P99}), max(top, s.P99)
	}
	p, y := scaled(r.length(), top, roundMicroseconds)
	c := &chart{Title: "Latency over time", Y: y, X: p.timeMarks()}
	for _, s := range spans {
		c.points = append(c.points, reading{percentOf(min(s.At, p.right), p.right),
			fmt.Sprintf("%s: p50 %s, p99 %s", secondName(s.At), microseconds(s.P50), microseconds(s.P99))})
	}
	c.Curves = []curve{
		{Class: "warm", Name: "p99", Line: p.path(fromZero(slow))},
		{Class: "wave", Name: "p50", Line: p.path(fromZero(median))},
	}
	return c
}

// fromZero lets a curve begin at the left edge: what is known of a second holds from its beginning.
func fromZero(places []place) []place {
	return append([]place{{0, places[0].y}}, places...)
}

func secondName(at float64) string { return "second " + trimZeros(fmt.Sprintf("%.1f", at)) }

// curveChart is latency by percentile, each step to the right leaving a tenth of the slower requests.
func (r *benchReport) curveChart() *chart {
	if len(r.curve) < 2 {
		return nil
	}
	var line []place
	for _, at := range r.curve {
		line = append(line, place{at.nines, at.us})
	}
	p, y := scaled(line[len(line)-1].x, line[len(line)-1].y, roundMicroseconds)
	c := &chart{Title: "Latency by percentile", Y: y}
	for n := 0.0; n <= p.right; n++ {
		c.X = append(c.X, p.x(n, nines(n)))
	}
	for _, at := range line {
		name := fmt.Sprintf("p%.*f", max(1, int(at.x)), 100-100*math.Pow(10, -at.x))
		c.points = append(c.points, reading{percentOf(at.x, p.right), trimZeros(name) + ": " + microseconds(at.y)})
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(line), Filled: true}}
	return c
}
