package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"runtime"
	"strings"
	"time"
)

//go:embed bench.html
var benchHTML string

var benchTemplate = template.Must(template.New("bench").Funcs(template.FuncMap{"us": microseconds, "grouped": grouped}).Parse(benchHTML))

// tile is a figure in the top row of the page.
type tile struct{ Name, Value, Unit string }

// writeHTML writes the report as a self-contained page.
func (r *benchReport) writeHTML(w io.Writer) error {
	title := r.Title
	if title == "" {
		title = r.target() + r.others() + " under load"
	}
	return writePage(w, r, map[string]any{"Title": title, "Runs": []any{r.page()}})
}

// writeHTML writes the reports of all runs as one page that begins with the table comparing them.
func (all series) writeHTML(w io.Writer) error {
	page := map[string]any{
		"Title": counted(int64(len(all)), "socket", "sockets") + " under load", "Together": sideBySide + ", measured one after the other",
		"Sides": all.sides(), "Columns": all.columns(),
	}
	first, runs := &benchReport{Version: version(), Date: time.Now().UTC()}, []any{}
	for i, r := range all.reports() {
		if runs = append(runs, r.page()); i == 0 {
			first = r
		}
	}
	page["Runs"] = runs
	if first.Title != "" {
		page["Title"] = first.Title
	}
	return writePage(w, first, page)
}

// writePage completes the page's data with the date, machine and command of r, and writes the page.
func writePage(w io.Writer, r *benchReport, page map[string]any) error {
	page["Date"] = r.Date.Format("2 January 2006, 15:04 MST")
	page["Machine"] = fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, counted(int64(runtime.NumCPU()), "processor", "processors"))
	page["Version"], page["Command"] = r.Version, r.command
	var b bytes.Buffer
	if err := benchTemplate.Execute(&b, page); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// page returns the template data of a run.
func (r *benchReport) page() map[string]any {
	wrong := r.Errors.total()
	urls, more := r.slowest()
	note := r.latencyNote()
	if note != "" {
		note = strings.ToUpper(note[:1]) + note[1:]
	}
	return map[string]any{
		"Title":       r.Title,
		"Notes":       r.Notes,
		"Method":      r.Method,
		"URL":         r.URL + r.others(),
		"Thresholds":  r.Thresholds,
		"Parts":       r.parts(),
		"Bars":        r.barChart(),
		"Headline":    r.headline(),
		"Wrong":       r.errorLines(),
		"WrongOf":     fmt.Sprintf("%s of %s %s went wrong", grouped(wrong), grouped(wrong+r.Requests), r.noun.many),
		"Tiles":       r.tiles(),
		"Findings":    append(r.findings(), r.pace()...),
		"Costs":       r.costs(),
		"Percentiles": r.percentiles(),
		"LatencyNote": note,
		"Many":        r.noun.many,
		"URLs":        urls,
		"MoreURLs":    more,
		"Rate":        r.rateChart(),
		"Over":        r.secondChart(),
		"By":          r.curveChart(),
	}
}

func (r *benchReport) tiles() []tile {
	tiles := []tile{
		{r.noun.title() + " per second", ratePerSecond(r.PerSecond), ""},
		{r.ifOneWay("Half had left within", "Half were answered within"), microseconds(r.Latency.P50), "p50"},
		{"All but one in a hundred", microseconds(r.Latency.P99), "p99"},
	}
	if r.Requests > 0 && r.Target != nil {
		t := r.Target
		return append(tiles, tile{"CPU a " + r.noun.one + ", the server's", seconds((t.User + t.System) / float64(r.Requests)), ""})
	}
	return append(tiles, tile{r.noun.title() + r.ifOneWay(" sent", " answered"), grouped(r.Requests), ""})
}
