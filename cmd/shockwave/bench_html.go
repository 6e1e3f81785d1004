package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"runtime"
)

//go:embed bench.html
var benchHTML string

var benchTemplate = template.Must(template.New("bench").Funcs(template.FuncMap{"us": microseconds, "grouped": grouped}).Parse(benchHTML))

// tile is a figure of the page's first row.
type tile struct{ Name, Value, Unit string }

// writeHTML writes the report as one page that refers to nothing outside of it.
func (r *benchReport) writeHTML(w io.Writer) error {
	wrong := r.Errors.total()
	urls, more := r.slowest()
	var page bytes.Buffer
	err := benchTemplate.Execute(&page, map[string]any{
		"Title":       r.Title,
		"Notes":       r.Notes,
		"Method":      r.Method,
		"URL":         r.URL + r.others(),
		"Thresholds":  r.Thresholds,
		"Parts":       r.parts(),
		"Bars":        r.barChart(),
		"Headline":    r.headline(),
		"Date":        r.Date.Format("2 January 2006, 15:04 MST"),
		"Machine":     fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, counted(int64(runtime.NumCPU()), "processor", "processors")),
		"Version":     r.Version,
		"Command":     r.command,
		"Wrong":       r.wrong(),
		"WrongOf":     fmt.Sprintf("%s of %s %s went wrong", grouped(wrong), grouped(wrong+r.Requests), r.what.many),
		"Tiles":       r.tiles(),
		"Findings":    append(r.findings(), r.pace()...),
		"Costs":       r.costs(),
		"Percentiles": r.percentiles(),
		"FromDue":     r.Rate > 0,
		"One":         r.what.one,
		"Many":        r.what.many,
		"URLs":        urls,
		"MoreURLs":    more,
		"Rate":        r.rateChart(),
		"Over":        r.secondChart(),
		"By":          r.curveChart(),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(page.Bytes())
	return err
}

func (r *benchReport) tiles() []tile {
	tiles := []tile{
		{r.what.title() + " per second", ratePerSecond(r.PerSecond), ""},
		{"Half were answered within", microseconds(r.Latency.P50), "p50"},
		{"All but one in a hundred", microseconds(r.Latency.P99), "p99"},
	}
	if r.Requests > 0 && r.Target != nil {
		t := r.Target
		return append(tiles, tile{"CPU a " + r.what.one + ", the server's", seconds((t.User + t.System) / float64(r.Requests)), ""})
	}
	return append(tiles, tile{r.what.title() + " answered", grouped(r.Requests), ""})
}
