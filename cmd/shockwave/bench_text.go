package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	nameWidth  = 14 // width of the column of names
	countWidth = 9  // width of the column of error counts
)

// writeText writes the report as text, at most 100 columns wide; on a terminal with bold and red.
func (r *benchReport) writeText(w io.Writer, terminal bool) error {
	p := &textReport{color: terminal}
	if r.Title != "" {
		p.line("%s", p.bold(r.Title))
	}
	p.line("%s%s", p.bold(r.target()), r.others())
	p.line("%s", r.headline())
	for _, note := range r.Notes {
		p.line("%s", note)
	}
	p.line("")
	if n := r.Errors.total(); n > 0 {
		p.line("  %s", p.red(fmt.Sprintf("ERRORS: %s of %s %s went wrong", grouped(n), grouped(n+r.Requests), r.noun.many)))
		for _, m := range r.errorLines() {
			p.line("  %s%s  %s", padRight(m.Name, nameWidth), padLeft(m.Count, countWidth), m.Text)
		}
		p.line("")
	}
	if len(r.Thresholds) > 0 {
		p.list(thresholds(r.Thresholds))
		p.line("")
	}
	p.list(r.findings())
	if pace := r.pace(); pace != nil {
		p.line("")
		p.list(pace)
	}
	if r.Latency.Max > 0 {
		p.line("")
		p.percentiles(r)
	}
	p.parts(r)
	p.urls(r)
	p.line("")
	p.list(r.costs())
	for _, plot := range []string{r.ratePlot(), r.histogramText(), r.latencyPlot()} {
		if plot != "" {
			p.line("\n%s", plot)
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

// textReport collects the text of a report.
type textReport struct {
	bytes.Buffer
	color bool
}

func (p *textReport) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *textReport) bold(s string) string { return p.style("1", s) }

func (p *textReport) dim(s string) string { return p.style("2", s) }

func (p *textReport) red(s string) string { return p.style("1;31", s) }

// style returns s in a style (SGR code) of ECMA-48 §8.3.117.
func (p *textReport) style(style, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *textReport) list(findings []finding) {
	for _, f := range findings {
		p.line("  %s%s", p.dim(padRight(f.Name, nameWidth)), f.Text)
	}
}

// percentiles writes the latencies as a table of two rows.
func (p *textReport) percentiles(r *benchReport) {
	const column = 8
	names, values := padRight("latency", nameWidth-2), strings.Repeat(" ", nameWidth-2)
	for _, q := range r.percentiles() {
		names += padLeft(q.Name, column)
		values += padLeft(microseconds(q.US), column)
	}
	p.line("  %s", p.dim(names))
	p.line("  %s", values)
	if note := r.latencyNote(); note != "" {
		p.line("  %s%s", strings.Repeat(" ", nameWidth), note)
	}
}

// parts writes the table of the times of connecting and of parts of responses.
func (p *textReport) parts(r *benchReport) {
	list := r.parts()
	if list == nil {
		return
	}
	const column = 9
	row := func(name string, cells ...string) string {
		s := "  " + padRight(name, nameWidth-2)
		for _, c := range cells {
			s += padLeft(c, column)
		}
		return s
	}
	p.line("")
	p.line("%s", p.dim(row("parts", "count", "min", "mean", "p50", "p99", "max")))
	for _, n := range list {
		p.line("%s", row(n.Name, grouped(n.Count), microseconds(n.Min), microseconds(n.Mean), microseconds(n.P50),
			microseconds(n.P99), microseconds(n.Max)))
	}
}

// urls writes the results of each of several URLs.
func (p *textReport) urls(r *benchReport) {
	list, more := r.slowest()
	if list == nil {
		return
	}
	const column, longest = 10, 48
	p.line("")
	p.line("%s", p.dim("  "+padLeft(r.noun.many, column)+padLeft("errors", column)+padLeft("mean", column)+padLeft("max", column)+"   URL"))
	for _, u := range list {
		path := []rune(u.Path())
		if len(path) > longest {
			path = append(path[:longest-1], '…')
		}
		p.line("  %s%s%s%s   %s", padLeft(grouped(u.Requests), column), padLeft(grouped(u.Errors), column),
			padLeft(microseconds(u.Mean), column), padLeft(microseconds(u.Max), column), string(path))
	}
	if more > 0 {
		p.line("  %s", padLeft("", 4*column)+fmt.Sprintf("   and %s, which are faster and have no more errors", counted(int64(more), "more", "more")))
	}
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}
