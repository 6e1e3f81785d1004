package series

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/plain"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Run is the run at one of several sockets.
type Run struct {
	URL    *url.URL
	Report *report.Report // nil if there is none; then
	Err    error          // err says why
}

// Series holds the runs at several sockets, in order.
type Series []Run

// ErrNotBegun is the error of a run that an interrupt has left out.
var ErrNotBegun = errors.New("not begun")

// Reports returns the reports of the runs that have one.
func (all Series) Reports() []*report.Report {
	list := []*report.Report{}
	for _, t := range all {
		if t.Report != nil {
			list = append(list, t.Report)
		}
	}
	return list
}

// WriteJSON writes a list of the reports.
func (all Series) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all.Reports())
}

// Column is a column of the table that compares the runs.
type Column struct {
	Name  string
	width int
	value func(r *report.Report) string
}

// Columns returns the columns that apply to these runs.
func (all Series) Columns() []Column {
	us := func(name string, width int, f func(l report.Latency) float64) Column {
		return Column{name, width, func(r *report.Report) string { return unlessNothing(r, figures.Microseconds(f(r.Latency))) }}
	}
	each := func(r *report.Report, cpu float64) string {
		return unlessNothing(r, figures.Seconds(report.PerRequest(cpu, r)))
	}
	list := []Column{
		{"messages/s", 13, func(r *report.Report) string { return figures.RatePerSecond(r.PerSecond) }},
		{"payload/s", 12, func(r *report.Report) string { return figures.ByteSize(int64(r.PerSecond * float64(r.BodyBytes))) }},
		us("p50", 9, func(l report.Latency) float64 { return l.P50 }),
		us("p99", 9, func(l report.Latency) float64 { return l.P99 }),
		{"CPU each", 10, func(r *report.Report) string { return each(r, r.CPU.Total()) }},
	}
	for _, r := range all.Reports() {
		if r.Target != nil {
			list = append(list, Column{"server's", 10, func(r *report.Report) string {
				if r.Target == nil {
					return noFigure
				}
				return each(r, r.Target.User+r.Target.System)
			}})
			break
		}
	}
	return append(list, Column{"errors", 8, func(r *report.Report) string { return figures.Grouped(r.Errors.Total()) }})
}

// noFigure is shown in place of a missing figure.
const noFigure = "–"

// unlessNothing returns figure, or noFigure if there were no messages.
func unlessNothing(r *report.Report, figure string) string {
	if r.Requests == 0 {
		return noFigure
	}
	return figure
}

// Row is a row of the table: the figures of a run, or why there are none.
type Row struct {
	URL   string
	Cells []string
	Why   string
}

// Rows returns the rows of the table.
func (all Series) Rows() (list []Row) {
	for _, t := range all {
		row := Row{URL: t.URL.Redacted()}
		if t.Report == nil {
			row.Why = strings.TrimPrefix(t.Err.Error(), "load: ")
		} else {
			for _, c := range all.Columns() {
				row.Cells = append(row.Cells, c.value(t.Report))
			}
		}
		list = append(list, row)
	}
	return list
}

// Title is the title of the table.
const Title = "Side by side"

// WriteText writes the table as text, at most 100 columns wide.
func (all Series) WriteText(w io.Writer, terminal bool) error {
	p := &plain.Text{Color: terminal}
	columns, name := all.Columns(), 96
	for _, c := range columns {
		name -= c.width
	}
	head := plain.PadRight("", name)
	for _, c := range columns {
		head += plain.PadLeft(c.Name, c.width)
	}
	p.Line("%s", p.Bold(Title))
	p.Line("")
	p.Line("  %s", p.Dim(head))
	for _, row := range all.Rows() {
		text := []rune(row.URL)
		if len(text) > name-1 {
			text = append(text[:name-2], '…')
		}
		line := plain.PadRight(string(text), name)
		for i, cell := range row.Cells {
			line += plain.PadLeft(cell, columns[i].width)
		}
		if row.Why != "" {
			line += "  " + p.Red(row.Why)
		}
		p.Line("  %s", line)
	}
	_, err := w.Write(p.Bytes())
	return err
}
