package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"
)

const (
	plotColumns = 72 // width of the curve
	plotRows    = 8

	labelColumns = 10 // width of y labels, the same for all plots so that they line up
)

// ratePlot draws requests per second over time as text. It returns "" if the run was too short.
func (r *benchReport) ratePlot() string {
	rates := r.rates()
	if len(rates) < 3 {
		return ""
	}
	// The rate of a second applies from its beginning, so the curve begins at 0.
	points := append([]float64{rates[0]}, rates...)
	last := r.length()
	return linearPlot(r.noun.many+"/s over time", points, last, timeTicks(last), ratePerSecond,
		func(s float64) string { return trimZeros(fmt.Sprintf("%.1f", s)) + " s" })
}

// latencyPlot draws latency by percentile as text. Its x axis counts nines: p90, p99, p99.9. It returns "" if there are
// too few responses.
func (r *benchReport) latencyPlot() string {
	if len(r.curve) == 0 || r.curve[len(r.curve)-1].nines < 2 {
		return ""
	}
	last := math.Floor(r.curve[len(r.curve)-1].nines)
	var points []float64
	for _, p := range r.curve {
		if p.nines <= last {
			points = append(points, p.us)
		}
	}
	marks := logAxis(leastPlotted(points), maximum(points), plotRows)
	for i := range points {
		points[i] = math.Log10(max(points[i], marks[0]))
	}
	return plotText("latency by percentile", points, plotArea{
		right: last, ticks: int(last) + 1, rows: len(marks) - 1, bottom: math.Log10(marks[0]), top: math.Log10(marks[len(marks)-1]),
		x: nines, y: func(v float64) string { return twoDigits(math.Pow(10, v)) },
	})
}

// leastPlotted returns the beginning of a logarithmic axis. It ignores the fastest response of all, an outlier that
// would leave no room for the others.
func leastPlotted(byPercentile []float64) float64 {
	if len(byPercentile) > 1 {
		byPercentile = byPercentile[1:]
	}
	return max(slices.Min(byPercentile), 0.1)
}

// linearPlot draws points that are spread evenly from 0 to last on the x axis. The y axis begins at 0 and has round
// numbers.
func linearPlot(title string, points []float64, last float64, ticks int, y, x func(float64) string) string {
	step, rows := axis(maximum(points), plotRows)
	return plotText(title, points, plotArea{right: last, ticks: ticks, rows: rows, top: step * float64(rows), x: x, y: y})
}

// plotArea describes the axes of a text plot: x goes from 0 to right, y from bottom to top.
type plotArea struct {
	right, bottom, top float64
	ticks, rows        int
	x, y               func(float64) string
}

func plotText(title string, points []float64, c plotArea) string {
	plot := asciigraph.Plot(points,
		asciigraph.Height(c.rows), asciigraph.Width(plotColumns),
		asciigraph.LowerBound(c.bottom), asciigraph.UpperBound(c.top),
		asciigraph.YAxisValueFormatter(func(v float64) string { return padLeft(c.y(v), labelColumns) }),
		asciigraph.XAxisRange(0, c.right), asciigraph.XAxisTickCount(c.ticks), asciigraph.XAxisValueFormatter(c.x))
	return "  " + title + "\n" + trimLines(plot)
}

// trimLines removes trailing spaces from all lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// nines returns the name of the percentile with n nines: 0 is p0, 1 is p90, 2 is p99.
func nines(n float64) string {
	return "p" + trimZeros(fmt.Sprintf("%.*f", max(0, int(math.Round(n))-2), 100-100*math.Pow(10, -n)))
}

// logAxis divides the range from lo to hi, both greater than 0, into at most steps steps of equal ratio, with round
// numbers where possible: 10, 5, 3, 2 or 1 steps per power of ten. It returns the marks; the first is at most lo and
// the last at least hi.
func logAxis(lo, hi float64, steps int) (marks []float64) {
	for _, density := range []float64{10, 5, 3, 2, 1, 0.5} {
		first, last := math.Floor(math.Log10(lo)*density+1e-9), math.Ceil(math.Log10(hi)*density-1e-9)
		last = max(last, first+1)
		if int(last-first) > steps && density > 0.5 {
			continue
		}
		for k := first; k <= last; k++ {
			marks = append(marks, rounded(math.Pow(10, k/density), 2))
		}
		break
	}
	return marks
}

// axis divides the range from 0 to top into at most rows round steps.
func axis(top float64, rows int) (step float64, n int) {
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

// timeTicks returns how many marks a time axis should have so that they are whole seconds, if possible.
func timeTicks(last float64) int {
	for n := 8; n >= 3; n-- {
		if part := last / float64(n-1); part == math.Trunc(part) {
			return n
		}
	}
	return 5
}

func maximum(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, v)
	}
	return most
}
