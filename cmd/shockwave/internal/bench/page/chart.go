package page

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/axis"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
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
	step, n := axis.Linear(top, 5)
	p = scale{right: right, top: step * float64(n)}
	for i := range n + 1 {
		marks = append(marks, mark{percentOf(float64(i), float64(n)), label(step * float64(i))})
	}
	return p, marks
}

// logScale returns a scale with a logarithmic y axis for times in microseconds, and the marks of that axis.
func logScale(right, lo, hi float64) (p scale, marks []mark) {
	const steps = 6
	values := axis.Log(lo, hi, steps)
	p = scale{right: right, bottom: values[0], top: values[len(values)-1]}
	for _, v := range values {
		marks = append(marks, mark{percentOf(p.height(v), 1), figures.TwoDigits(v)})
	}
	return p, marks
}

// timeMarks returns the marks of an x axis in seconds.
func (p scale) timeMarks() (marks []mark) {
	n := axis.TimeTicks(p.right)
	for i := range n {
		at := p.right * float64(i) / float64(n-1)
		marks = append(marks, p.x(at, figures.TrimZeros(fmt.Sprintf("%.1f", at))+" s"))
	}
	return marks
}
