package plain

import (
	"fmt"
	"io"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/findings"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Write writes the report as text, at most 100 columns wide; on a terminal with bold and red.
func Write(w io.Writer, r *report.Report, terminal bool) error {
	p := &Text{Color: terminal}
	if r.Title != "" {
		p.Line("%s", p.Bold(r.Title))
	}
	p.Line("%s%s", p.Bold(r.Subject()), r.Others())
	p.Line("%s", findings.Headline(r))
	for _, note := range r.Notes {
		p.Line("%s", note)
	}
	p.Line("")
	if n := r.Errors.Total(); n > 0 {
		p.Line("  %s", p.Red(fmt.Sprintf("ERRORS: %s of %s %s went wrong", figures.Grouped(n), figures.Grouped(n+r.Requests), r.Noun.Many)))
		for _, m := range findings.Errors(r) {
			p.Line("  %s%s  %s", PadRight(m.Name, nameWidth), PadLeft(m.Count, countWidth), m.Text)
		}
		p.Line("")
	}
	if len(r.Thresholds) > 0 {
		p.List(findings.Thresholds(r.Thresholds))
		p.Line("")
	}
	p.List(findings.List(r))
	if pace := findings.Pace(r); pace != nil {
		p.Line("")
		p.List(pace)
	}
	if r.Latency.Max > 0 {
		p.Line("")
		p.percentiles(r)
	}
	p.parts(r)
	p.urls(r)
	p.Line("")
	p.List(findings.Costs(r))
	for _, plot := range []string{ratePlot(r), histogramText(r), latencyPlot(r)} {
		if plot != "" {
			p.Line("\n%s", plot)
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

// percentiles writes the latencies as a table of two rows.
func (p *Text) percentiles(r *report.Report) {
	const column = 8
	names, values := PadRight("latency", nameWidth-2), strings.Repeat(" ", nameWidth-2)
	for _, q := range r.Percentiles() {
		names += PadLeft(q.Name, column)
		values += PadLeft(figures.Microseconds(q.US), column)
	}
	p.Line("  %s", p.Dim(names))
	p.Line("  %s", values)
	if note := findings.LatencyNote(r); note != "" {
		p.Line("  %s%s", strings.Repeat(" ", nameWidth), note)
	}
}

// parts writes the table of the times of connecting and of parts of responses.
func (p *Text) parts(r *report.Report) {
	list := r.PartList()
	if list == nil {
		return
	}
	const column = 9
	row := func(name string, cells ...string) string {
		s := "  " + PadRight(name, nameWidth-2)
		for _, c := range cells {
			s += PadLeft(c, column)
		}
		return s
	}
	p.Line("")
	p.Line("%s", p.Dim(row("parts", "count", "min", "mean", "p50", "p99", "max")))
	for _, n := range list {
		p.Line("%s", row(n.Name, figures.Grouped(n.Count), figures.Microseconds(n.Min), figures.Microseconds(n.Mean), figures.Microseconds(n.P50),
			figures.Microseconds(n.P99), figures.Microseconds(n.Max)))
	}
}

// urls writes the results of each of several URLs.
func (p *Text) urls(r *report.Report) {
	list, more := r.Slowest()
	if list == nil {
		return
	}
	const column, longest = 10, 48
	p.Line("")
	p.Line("%s", p.Dim("  "+PadLeft(r.Noun.Many, column)+PadLeft("errors", column)+PadLeft("mean", column)+PadLeft("max", column)+"   URL"))
	for _, u := range list {
		path := []rune(u.Path())
		if len(path) > longest {
			path = append(path[:longest-1], '…')
		}
		p.Line("  %s%s%s%s   %s", PadLeft(figures.Grouped(u.Requests), column), PadLeft(figures.Grouped(u.Errors), column),
			PadLeft(figures.Microseconds(u.Mean), column), PadLeft(figures.Microseconds(u.Max), column), string(path))
	}
	if more > 0 {
		p.Line("  %s", PadLeft("", 4*column)+fmt.Sprintf("   and %s, which are faster and have no more errors", figures.Counted(int64(more), "more", "more")))
	}
}
