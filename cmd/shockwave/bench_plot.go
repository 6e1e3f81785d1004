package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"
)

const (
	plotColumns = 72 // of the curve
	plotRows    = 8

	labelColumns = 10 // of the y axis: the same for all plots, so that they stand in line
)

// ratePlot draws requests per second over time, "" if the run was too short for it.
func (r *benchReport) ratePlot() string {
	rates := r.rates()
	if len(rates) < 3 {
		return ""
	}
	// A second's rate holds from its beginning, so the curve begins at 0.
	points := append([]float64{rates[0]}, rates...)
	last := r.length()
	return drawing(r.what.many+"/s over time", points, last, timeTicks(last), ratePerSecond,
		func(s float64) string { return trimZeros(fmt.Sprintf("%.1f", s)) + " s" })
}

// latencyPlot draws latency by percentile, "" if there are too few answers for it. Each step to the right leaves a
// tenth of the slower requests: p90, p99, p99.9.
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
	return sketch("latency by percentile", points, canvas{
		right: last, ticks: int(last) + 1, rows: len(marks) - 1, bottom: math.Log10(marks[0]), top: math.Log10(marks[len(marks)-1]),
		x: nines, y: func(v float64) string { return twoDigits(math.Pow(10, v)) },
	})
}

// leastPlotted is where a logarithmic axis begins: the one fastest answer of all would leave no room for the others.
func leastPlotted(byPercentile []float64) float64 {
	if len(byPercentile) > 1 {
		byPercentile = byPercentile[1:]
	}
	return max(slices.Min(byPercentile), 0.1)
}

// drawing plots points from 0 to last on the x axis. The y axis begins at 0 and has round numbers.
func drawing(title string, points []float64, last float64, ticks int, y, x func(float64) string) string {
	step, rows := axis(maximum(points), plotRows)
	return sketch(title, points, canvas{right: last, ticks: ticks, rows: rows, top: step * float64(rows), x: x, y: y})
}

// canvas is what a plot of text is drawn on: x from 0 to right, y from bottom to top.
type canvas struct {
	right, bottom, top float64
	ticks, rows        int
	x, y               func(float64) string
}

func sketch(title string, points []float64, c canvas) string {
	plot := asciigraph.Plot(points,
		asciigraph.Height(c.rows), asciigraph.Width(plotColumns),
		asciigraph.LowerBound(c.bottom), asciigraph.UpperBound(c.top),
		asciigraph.YAxisValueFormatter(func(v float64) string { return padLeft(c.y(v), labelColumns) }),
		asciigraph.XAxisRange(0, c.right), asciigraph.XAxisTickCount(c.ticks), asciigraph.XAxisValueFormatter(c.x))
	return "  " + title + "\n" + trimLines(plot)
}

// trimLines takes the spaces from the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// nines names a percentile: 0 is p0, 1 is p90, 2 is p99.
func nines(n float64) string {
	return "p" + trimZeros(fmt.Sprintf("%.*f", max(0, int(math.Round(n))-2), 100-100*math.Pow(10, -n)))
}

// logAxis divides the way from lo to hi, both greater than 0, into at most so many steps that are equal factors, with
// round numbers where they can be: tenths of a tenfold, fifths, thirds, halves or whole ones. It returns the marks, the
// first no greater than lo and the last no less than hi.
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

// axis divides the way from 0 to top into at most rows round steps.
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

// timeTicks is how many marks an axis of so many seconds wants to have whole numbers on them, if that can be.
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
