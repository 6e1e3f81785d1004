package main

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

func newBenchParts(p *load.Parts) benchParts {
	return benchParts{
		Lookup: newBenchPart(p.Lookup), Connect: newBenchPart(p.Connect), TLS: newBenchPart(p.Handshake),
		Upgrade: newBenchPart(p.Upgrade), FirstByte: newBenchPart(p.FirstByte),
	}
}

// newBenchPart returns nil if h has no values.
func newBenchPart(h *hdrhistogram.Histogram) *benchPart {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	l := newBenchLatency(h)
	return &benchPart{h.TotalCount(), l.Min, l.Mean, l.P50, l.P99, l.Max}
}

// namedPart is a row of the table of parts.
type namedPart struct {
	Name string
	*benchPart
}

// parts returns the parts that occurred, in order.
func (r *benchReport) parts() (list []namedPart) {
	p := r.Parts
	for _, one := range []namedPart{
		{"lookup", p.Lookup}, {"connect", p.Connect}, {"TLS", p.TLS}, {"upgrade", p.Upgrade}, {"first byte", p.FirstByte},
	} {
		if one.benchPart != nil {
			list = append(list, one)
		}
	}
	return list
}

// bars returns the histogram with density bars per power of ten. It has every bar from the least to the greatest
// latency, including empty ones.
func (r *benchReport) bars(density int) []benchBar {
	list := []benchBar{}
	if r.Latency.Max <= 0 || r.values == nil {
		return list
	}
	edge := func(k int) float64 { return rounded(math.Pow(10, float64(k)/float64(density)), 3) }
	k := int(math.Floor(math.Log10(max(r.Latency.Min, 0.1)) * float64(density)))
	for list = append(list, benchBar{From: edge(k), To: edge(k + 1)}); list[len(list)-1].To < r.Latency.Max; {
		k++
		list = append(list, benchBar{From: edge(k), To: edge(k + 1)})
	}
	i := 0
	for _, b := range r.values.Distribution() {
		for i < len(list)-1 && micros(b.To) > list[i].To {
			i++
		}
		list[i].Count += b.Count
	}
	return list
}

// rounded returns v with that many significant digits.
func rounded(v float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-float64(digits-1))
	return math.Round(v/unit) * unit
}

// histogramRows is the maximum number of rows of the text histogram.
const histogramRows = 12

// histogramText draws the histogram as text. It returns "" if there are no values.
func (r *benchReport) histogramText() string {
	bars := r.bars(10)
	for _, density := range []int{5, 3, 2, 1} {
		if len(bars) > histogramRows {
			bars = r.bars(density)
		}
	}
	if len(bars) == 0 {
		return ""
	}
	most, total := int64(0), r.values.TotalCount()
	for _, b := range bars {
		most = max(most, b.Count)
	}
	const columns = 50
	text := "  latency histogram\n"
	for _, b := range bars {
		line := padLeft("≤ "+twoDigits(b.To), labelColumns) + " ┤"
		if b.Count > 0 {
			full := int(math.Round(columns * float64(b.Count) / float64(most)))
			line += strings.Repeat("█", full) + strings.Repeat("▏", max(0, 1-full)) + " " + percent(b.Count, total)
		}
		text += line + "\n"
	}
	return strings.TrimSuffix(text, "\n")
}

func newBenchURLs(cfg load.Config, targets []load.Target) (list []benchURL) {
	for i, t := range targets {
		u := cfg.URL
		if i > 0 {
			u = cfg.More[i-1]
		}
		list = append(list, benchURL{u.Redacted(), t.Requests, t.Errors, micros(int64(t.Mean)), micros(int64(t.Max))})
	}
	return list
}

// shownURLs is how many of several URLs the report lists.
const shownURLs = 10

// slowest returns the URLs to list: those with errors first, then the slowest. more is the number of URLs left out.
func (r *benchReport) slowest() (list []benchURL, more int) {
	list = slices.Clone(r.URLs)
	slices.SortStableFunc(list, func(a, b benchURL) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.Mean, a.Mean))
	})
	more = max(0, len(list)-shownURLs)
	return list[:len(list)-more], more
}

// Path returns the path and query of the URL.
func (u benchURL) Path() string {
	if parsed, err := url.Parse(u.URL); err == nil {
		return parsed.RequestURI()
	}
	return u.URL
}

// others returns the text about further URLs, "" if there is one URL only.
func (r *benchReport) others() string {
	if len(r.URLs) < 2 {
		return ""
	}
	return fmt.Sprintf(" and %s", counted(int64(len(r.URLs)-1), "more URL", "more URLs"))
}
