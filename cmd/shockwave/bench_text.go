package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	nameWidth  = 14 // of the column of names
	countWidth = 9  // of the column of numbers of errors
)

// writeText writes the report for people, at most 100 columns wide; a terminal gets bold and red.
func (r *benchReport) writeText(w io.Writer, terminal bool) error {
	p := &sheet{paint: terminal}
	p.line("%s %s", p.bold(r.Method), p.bold(r.URL))
	p.line("%s", r.headline())
	p.line("")
	if n := r.Errors.total(); n > 0 {
		p.line("  %s", p.red(fmt.Sprintf("ERRORS: %s of %s %s went wrong", grouped(n), grouped(n+r.Requests), r.what.many)))
		for _, m := range r.wrong() {
			p.line("  %s%s  %s", padRight(m.Name, nameWidth), padLeft(m.Count, countWidth), m.Text)
		}
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
	p.line("")
	p.list(r.costs())
	for _, plot := range []string{r.ratePlot(), r.latencyPlot()} {
		if plot != "" {
			p.line("\n%s", plot)
		}
	}
	_, err := w.Write(p.Bytes())
	return err
}

// sheet is the text as it grows.
type sheet struct {
	bytes.Buffer
	paint bool
}

func (p *sheet) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *sheet) bold(s string) string { return p.in("1", s) }

func (p *sheet) dim(s string) string { return p.in("2", s) }

func (p *sheet) red(s string) string { return p.in("1;31", s) }

// in is s in a style of ECMA-48 §8.3.117.
func (p *sheet) in(style, s string) string {
	if !p.paint {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *sheet) list(findings []finding) {
	for _, f := range findings {
		p.line("  %s%s", p.dim(padRight(f.Name, nameWidth)), f.Text)
	}
}

// percentiles writes the latencies as a table of two rows.
func (p *sheet) percentiles(r *benchReport) {
	const column = 9
	names, values := padRight("latency", nameWidth-2), strings.Repeat(" ", nameWidth-2)
	for _, q := range r.percentiles() {
		names += padLeft(q.Name, column)
		values += padLeft(microseconds(q.US), column)
	}
	p.line("  %s", p.dim(names))
	p.line("  %s", values)
	if r.Rate > 0 {
		p.line("  %sfrom the moment a %s was due, not from when it was sent", strings.Repeat(" ", nameWidth), r.what.one)
	}
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}
