package plain

import (
	"fmt"
	"math"
	"strings"

	"github.com/guptarohit/asciigraph"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/axis"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

const (
	plotColumns = 72 // width of the curve
	plotRows    = 8

	labelColumns = 10 // width of y labels, the same for all plots so that they line up
)

// ratePlot draws requests per second over time as text. It returns "" if the run was too short.
func ratePlot(r *report.Report) string {
	rates := r.Rates()
	if len(rates) < 3 {
		return ""
	}
	// The rate of a second applies from its beginning, so the curve begins at 0.
	points := append([]float64{rates[0]}, rates...)
	last := r.Length()
	return linearPlot(r.Noun.Many+"/s over time", points, last, axis.TimeTicks(last), figures.RatePerSecond,
		func(s float64) string { return figures.TrimZeros(fmt.Sprintf("%.1f", s)) + " s" })
}

// latencyPlot draws latency by percentile as text. Its x axis counts nines: p90, p99, p99.9. It returns "" if there are
// too few responses.
func latencyPlot(r *report.Report) string {
	if len(r.Curve) == 0 || r.Curve[len(r.Curve)-1].Nines < 2 {
		return ""
	}
	last := math.Floor(r.Curve[len(r.Curve)-1].Nines)
	var points []float64
	for _, p := range r.Curve {
		if p.Nines <= last {
			points = append(points, p.US)
		}
	}
	marks := axis.Log(axis.Least(points), axis.Most(points), plotRows)
	for i := range points {
		points[i] = math.Log10(max(points[i], marks[0]))
	}
	return plotText("latency by percentile", points, plotArea{
		right: last, ticks: int(last) + 1, rows: len(marks) - 1, bottom: math.Log10(marks[0]), top: math.Log10(marks[len(marks)-1]),
		x: axis.Nines, y: func(v float64) string { return figures.TwoDigits(math.Pow(10, v)) },
	})
}

// linearPlot draws points that are spread evenly from 0 to last on the x axis. The y axis begins at 0 and has round
// numbers.
func linearPlot(title string, points []float64, last float64, ticks int, y, x func(float64) string) string {
	step, rows := axis.Linear(axis.Most(points), plotRows)
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
		asciigraph.YAxisValueFormatter(func(v float64) string { return PadLeft(c.y(v), labelColumns) }),
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
