package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// chart is a plot on the HTML page. Curves are drawn in a box of chartWidth × chartHeight that the page stretches.
// Labels are positioned in percent and are not stretched.
type chart struct {
	Title  string
	Curves []curve
	X, Y   []mark
	Bands  []band
	points []reading
}

// band is a highlighted range of the x axis, in percent.
type band struct{ At, Width float64 }

const (
	chartWidth  = 1000
	chartHeight = 100
)

// curve is a line of a chart, with a legend if Name is not "".
type curve struct {
	Class, Name string
	Line        string // the d attribute of an SVG path
	Filled      bool
}

// mark is a label on an axis.
type mark struct {
	At   float64 // position in percent of the axis
	Text string
}

// reading is the text shown when the pointer is at a position of the chart.
type reading struct {
	At   float64 `json:"at"` // position in percent of the x axis
	Text string  `json:"text"`
}

// Readings returns the chart's readings as JSON.
func (c *chart) Readings() (string, error) {
	b, err := json.Marshal(c.points)
	return string(b), err
}

// Area returns the path of the area between the curve and the x axis.
func (c curve) Area() string { return fmt.Sprintf("%sV%dH0Z", c.Line, chartHeight) }

// point is a point of a curve, in the units of the plotted values.
type point struct{ x, y float64 }

// scale maps values to positions in a chart. Both axes begin at 0, except that a y axis with a bottom is logarithmic
// and begins there.
type scale struct{ right, top, bottom float64 }

// path returns the SVG path through points.
func (p scale) path(places []point) string {
	var b strings.Builder
	for i, at := range places {
		b.WriteByte("ML"[min(i, 1)])
		fmt.Fprintf(&b, "%.1f %.2f", chartWidth*min(at.x/p.right, 1), chartHeight*(1-p.height(at.y)))
	}
	return b.String()
}

// height returns the position of y on the y axis, from 0 to 1.
func (p scale) height(y float64) float64 {
	if p.bottom == 0 {
		return y / p.top
	}
	return math.Log(max(y, p.bottom)/p.bottom) / math.Log(p.top/p.bottom)
}

func (p scale) x(v float64, text string) mark { return mark{percentOf(v, p.right), text} }

func percentOf(v, whole float64) float64 { return math.Round(1e4*v/whole) / 100 }

// linearScale returns a scale for values up to top, and the marks of its y axis.
func linearScale(right, top float64, label func(float64) string) (p scale, marks []mark) {
	step, n := axis(top, 5)
	p = scale{right: right, top: step * float64(n)}
	for i := range n + 1 {
		marks = append(marks, mark{percentOf(float64(i), float64(n)), label(step * float64(i))})
	}
	return p, marks
}

// logScale returns a scale with a logarithmic y axis for times in microseconds, and the marks of that axis.
func logScale(right, lo, hi float64) (p scale, marks []mark) {
	const steps = 6
	values := logAxis(lo, hi, steps)
	p = scale{right: right, bottom: values[0], top: values[len(values)-1]}
	for _, v := range values {
		marks = append(marks, mark{percentOf(p.height(v), 1), twoDigits(v)})
	}
	return p, marks
}

// timeMarks returns the marks of an x axis in seconds.
func (p scale) timeMarks() (marks []mark) {
	n := timeTicks(p.right)
	for i := range n {
		at := p.right * float64(i) / float64(n-1)
		marks = append(marks, p.x(at, trimZeros(fmt.Sprintf("%.1f", at))+" s"))
	}
	return marks
}

// rateChart returns the chart of requests per second over time, or nil if the run was too short.
func (r *benchReport) rateChart() *chart {
	rates, spans := r.rates(), r.fullSeconds()
	if len(rates) < 2 {
		return nil
	}
	p, y := linearScale(r.length(), maximum(rates), ratePerSecond)
	c := &chart{Title: r.noun.title() + " per second", Y: y, X: p.timeMarks()}
	var line []point
	for i, v := range rates {
		at := spans[i].At
		line = append(line, point{at, v})
		c.points = append(c.points, reading{percentOf(min(at, p.right), p.right),
			fmt.Sprintf("%s: %s/s", secondName(at), ratePerSecond(v))})
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(fromZero(line)), Filled: true}}
	for _, o := range r.Outages {
		from, to := percentOf(min(o.From, p.right), p.right), percentOf(min(o.To, p.right), p.right)
		c.Bands = append(c.Bands, band{from, to - from})
	}
	return c
}

// secondChart returns the chart of p50 and p99 of each second, or nil if the run was too short.
func (r *benchReport) secondChart() *chart {
	spans := r.fullSeconds()
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
	p, y := logScale(r.length(), least, top)
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

// fromZero prepends a point at x = 0, because the value of a second applies from its beginning.
func fromZero(places []point) []point {
	return append([]point{{0, places[0].y}}, places...)
}

func secondName(at float64) string { return "second " + trimZeros(fmt.Sprintf("%.1f", at)) }

// curveChart returns the chart of latency by percentile. Its x axis counts nines: each step to the right is the next of
// p90, p99, p99.9 and so on.
func (r *benchReport) curveChart() *chart {
	if len(r.curve) < 2 {
		return nil
	}
	var line []point
	var values []float64
	for _, at := range r.curve {
		line, values = append(line, point{at.nines, at.us}), append(values, at.us)
	}
	p, y := logScale(line[len(line)-1].x, leastPlotted(values), line[len(line)-1].y)
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

// barChart returns the histogram: the share of all responses for each latency range, on a logarithmic x axis.
func (r *benchReport) barChart() *chart {
	total, most := int64(0), int64(0)
	for _, b := range r.Histogram {
		total, most = total+b.Count, max(most, b.Count)
	}
	if total == 0 {
		return nil
	}
	share := func(n int64) float64 { return 100 * float64(n) / float64(total) }
	p, y := linearScale(float64(len(r.Histogram)), share(most), func(v float64) string { return trimZeros(significant(v)) + " %" })
	c := &chart{Title: "How many took how long", Y: y}
	var line []point
	for i, b := range r.Histogram {
		x, v := float64(i), share(b.Count)
		line = append(line, point{x, 0}, point{x, v}, point{x + 1, v}, point{x + 1, 0})
		c.points = append(c.points, reading{percentOf(x+0.5, p.right), fmt.Sprintf("%s to %s: %s (%s)",
			twoDigits(b.From), twoDigits(b.To), grouped(b.Count), percent(b.Count, total))})
		if every := (len(r.Histogram) + 5) / 6; i%every == 0 {
			c.X = append(c.X, p.x(x, twoDigits(b.From)))
		}
	}
	c.Curves = []curve{{Class: "wave", Line: p.path(line), Filled: true}}
	return c
}
