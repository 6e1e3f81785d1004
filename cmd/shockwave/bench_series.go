package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// seriesRun is the run at one of several sockets.
type seriesRun struct {
	url    *url.URL
	report *benchReport // nil if there is none; then
	err    error        // err says why
}

// series holds the runs at several sockets, in order.
type series []seriesRun

var errNotBegun = errors.New("not begun")

// benchSockets makes a run at each of several sockets, reports each one as it ends, and finally compares them in a
// table. If a run fails the others are still made.
func benchSockets(s stop, run runFunc, opt benchOptions, con console) error {
	var all series
	var failed []error
	for i, u := range opt.sockets {
		t := seriesRun{url: u, err: errNotBegun}
		if i == 0 || s.gracefully.Err() == nil {
			one := opt.forSocket(u, fmt.Sprintf("%d of %d: %s", i+1, len(opt.sockets), u.Scheme))
			t.report, t.err = benchOne(s, run, one, con)
		}
		if errors.Is(t.err, errCutOff) {
			return t.err
		}
		if t.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", u.Redacted(), t.err))
		}
		if t.report != nil {
			if err := t.report.runError(); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", u.Redacted(), err))
			}
			if people := opt.textOutput(con); !opt.quiet {
				failed = append(failed, t.report.writeText(people, onTerminal(people)), newLine(people))
			}
		}
		all = append(all, t)
	}
	return errors.Join(append([]error{all.publish(opt, con)}, failed...)...)
}

func newLine(w io.Writer) error {
	_, err := io.WriteString(w, "\n")
	return err
}

// publish writes the results of all runs to all outputs.
func (all series) publish(opt benchOptions, con console) error {
	var failed []error
	if opt.jsonFile != "" {
		failed = append(failed, writeTo(opt.jsonFile, con.out, all.writeJSON))
	}
	if opt.htmlFile != "" {
		failed = append(failed, writeTo(opt.htmlFile, con.out, func(w io.Writer) error { return all.writeHTML(w) }))
	}
	if people := opt.textOutput(con); !opt.quiet {
		failed = append(failed, all.writeText(people, onTerminal(people)))
	}
	return errors.Join(failed...)
}

// reports returns the reports of the runs that have one.
func (all series) reports() []*benchReport {
	list := []*benchReport{}
	for _, t := range all {
		if t.report != nil {
			list = append(list, t.report)
		}
	}
	return list
}

func (all series) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all.reports())
}

// sideColumn is a column of the table that compares the runs.
type sideColumn struct {
	Name  string
	width int
	value func(r *benchReport) string
}

// columns returns the columns that apply to these runs.
func (all series) columns() []sideColumn {
	us := func(name string, width int, f func(l benchLatency) float64) sideColumn {
		return sideColumn{name, width, func(r *benchReport) string { return unlessNothing(r, microseconds(f(r.Latency))) }}
	}
	each := func(r *benchReport, cpu float64) string { return unlessNothing(r, seconds(perRequest(cpu, r))) }
	list := []sideColumn{
		{"messages/s", 13, func(r *benchReport) string { return ratePerSecond(r.PerSecond) }},
		{"payload/s", 12, func(r *benchReport) string { return byteSize(int64(r.PerSecond * float64(r.BodyBytes))) }},
		us("p50", 9, func(l benchLatency) float64 { return l.P50 }),
		us("p99", 9, func(l benchLatency) float64 { return l.P99 }),
		{"CPU each", 10, func(r *benchReport) string { return each(r, r.CPU.total()) }},
	}
	for _, r := range all.reports() {
		if r.Target != nil {
			list = append(list, sideColumn{"server's", 10, func(r *benchReport) string {
				if r.Target == nil {
					return noFigure
				}
				return each(r, r.Target.User+r.Target.System)
			}})
			break
		}
	}
	return append(list, sideColumn{"errors", 8, func(r *benchReport) string { return grouped(r.Errors.total()) }})
}

// noFigure is shown in place of a missing figure.
const noFigure = "–"

// unlessNothing returns figure, or noFigure if there were no messages.
func unlessNothing(r *benchReport, figure string) string {
	if r.Requests == 0 {
		return noFigure
	}
	return figure
}

// side is a row of the table: the figures of a run, or why there are none.
type side struct {
	URL   string
	Cells []string
	Why   string
}

func (all series) sides() (list []side) {
	for _, t := range all {
		row := side{URL: t.url.Redacted()}
		if t.report == nil {
			row.Why = strings.TrimPrefix(t.err.Error(), "load: ")
		} else {
			for _, c := range all.columns() {
				row.Cells = append(row.Cells, c.value(t.report))
			}
		}
		list = append(list, row)
	}
	return list
}

// sideBySide is the title of the table.
const sideBySide = "Side by side"

// writeText writes the table as text, at most 100 columns wide.
func (all series) writeText(w io.Writer, terminal bool) error {
	p := &textReport{color: terminal}
	columns, name := all.columns(), 96
	for _, c := range columns {
		name -= c.width
	}
	head := padRight("", name)
	for _, c := range columns {
		head += padLeft(c.Name, c.width)
	}
	p.line("%s", p.bold(sideBySide))
	p.line("")
	p.line("  %s", p.dim(head))
	for _, row := range all.sides() {
		text := []rune(row.URL)
		if len(text) > name-1 {
			text = append(text[:name-2], '…')
		}
		line := padRight(string(text), name)
		for i, cell := range row.Cells {
			line += padLeft(cell, columns[i].width)
		}
		if row.Why != "" {
			line += "  " + p.red(row.Why)
		}
		p.line("  %s", line)
	}
	_, err := w.Write(p.Bytes())
	return err
}
