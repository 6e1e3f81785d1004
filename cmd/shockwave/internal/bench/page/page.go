package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/findings"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/series"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

//go:embed page.html
var source string

var layout = template.Must(template.New("bench").Funcs(template.FuncMap{"us": figures.Microseconds, "grouped": figures.Grouped}).Parse(source))

// tile is a figure in the top row of the page.
type tile struct{ Name, Value, Unit string }

// Write writes the report as a self-contained page.
func Write(w io.Writer, r *report.Report) error {
	title := r.Title
	if title == "" {
		title = r.Subject() + r.Others() + " under load"
	}
	return writePage(w, r, map[string]any{"Title": title, "Runs": []any{content(r)}})
}

// WriteSeries writes the reports of all runs as one page that begins with the table comparing them.
func WriteSeries(w io.Writer, all series.Series) error {
	page := map[string]any{
		"Title": figures.Counted(int64(len(all)), "socket", "sockets") + " under load", "Together": series.Title + ", measured one after the other",
		"Sides": all.Rows(), "Columns": all.Columns(),
	}
	first, runs := &report.Report{Version: cli.Version(), Date: time.Now().UTC()}, []any{}
	for i, r := range all.Reports() {
		if runs = append(runs, content(r)); i == 0 {
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
func writePage(w io.Writer, r *report.Report, page map[string]any) error {
	page["Date"] = r.Date.Format("2 January 2006, 15:04 MST")
	page["Machine"] = fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, figures.Counted(int64(runtime.NumCPU()), "processor", "processors"))
	page["Version"], page["Command"] = r.Version, r.Command
	var b bytes.Buffer
	if err := layout.Execute(&b, page); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// content returns the template data of a run.
func content(r *report.Report) map[string]any {
	wrong := r.Errors.Total()
	urls, more := r.Slowest()
	note := findings.LatencyNote(r)
	if note != "" {
		note = strings.ToUpper(note[:1]) + note[1:]
	}
	return map[string]any{
		"Title":       r.Title,
		"Notes":       r.Notes,
		"Method":      r.Method,
		"URL":         r.URL + r.Others(),
		"Thresholds":  r.Thresholds,
		"Parts":       r.PartList(),
		"Bars":        barChart(r),
		"Headline":    findings.Headline(r),
		"Wrong":       findings.Errors(r),
		"WrongOf":     fmt.Sprintf("%s of %s %s went wrong", figures.Grouped(wrong), figures.Grouped(wrong+r.Requests), r.Noun.Many),
		"Tiles":       tiles(r),
		"Findings":    append(findings.List(r), findings.Pace(r)...),
		"Costs":       findings.Costs(r),
		"Percentiles": r.Percentiles(),
		"LatencyNote": note,
		"Many":        r.Noun.Many,
		"URLs":        urls,
		"MoreURLs":    more,
		"Rate":        rateChart(r),
		"Over":        secondChart(r),
		"By":          curveChart(r),
	}
}

func tiles(r *report.Report) []tile {
	tiles := []tile{
		{r.Noun.Title() + " per second", figures.RatePerSecond(r.PerSecond), ""},
		{r.IfOneWay("Half had left within", "Half were answered within"), figures.Microseconds(r.Latency.P50), "p50"},
		{"All but one in a hundred", figures.Microseconds(r.Latency.P99), "p99"},
	}
	if r.Requests > 0 && r.Target != nil {
		t := r.Target
		return append(tiles, tile{"CPU a " + r.Noun.One + ", the server's", figures.Seconds((t.User + t.System) / float64(r.Requests)), ""})
	}
	return append(tiles, tile{r.Noun.Title() + r.IfOneWay(" sent", " answered"), figures.Grouped(r.Requests), ""})
}
