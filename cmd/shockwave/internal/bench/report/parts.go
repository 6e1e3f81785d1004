package report

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

func newParts(p *account.Parts) Parts {
	return Parts{
		Lookup: newPart(p.Lookup), Connect: newPart(p.Connect), TLS: newPart(p.Handshake),
		Upgrade: newPart(p.Upgrade), FirstByte: newPart(p.FirstByte),
	}
}

// newPart returns nil if h has no values.
func newPart(h *hdrhistogram.Histogram) *Part {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	l := newLatency(h)
	return &Part{h.TotalCount(), l.Min, l.Mean, l.P50, l.P99, l.Max}
}

// NamedPart is a row of the table of parts.
type NamedPart struct {
	Name string
	*Part
}

// PartList returns the parts that occurred, in order.
func (r *Report) PartList() (list []NamedPart) {
	p := r.Parts
	for _, one := range []NamedPart{
		{"lookup", p.Lookup}, {"connect", p.Connect}, {"TLS", p.TLS}, {"upgrade", p.Upgrade}, {"first byte", p.FirstByte},
	} {
		if one.Part != nil {
			list = append(list, one)
		}
	}
	return list
}

func newURLs(cfg load.Config, targets []account.Target) (list []URL) {
	for i, t := range targets {
		u := cfg.URL
		if i > 0 {
			u = cfg.More[i-1]
		}
		list = append(list, URL{u.Redacted(), t.Requests, t.Errors, Micros(int64(t.Mean)), Micros(int64(t.Max))})
	}
	return list
}

// shownURLs is how many of several URLs the report lists.
const shownURLs = 10

// Slowest returns the URLs to list: those with errors first, then the slowest. more is the number of URLs left out.
func (r *Report) Slowest() (list []URL, more int) {
	list = slices.Clone(r.URLs)
	slices.SortStableFunc(list, func(a, b URL) int {
		return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(b.Mean, a.Mean))
	})
	more = max(0, len(list)-shownURLs)
	return list[:len(list)-more], more
}

// Path returns the path and query of the URL.
func (u URL) Path() string {
	if parsed, err := url.Parse(u.URL); err == nil {
		return parsed.RequestURI()
	}
	return u.URL
}

// Others returns the text about further URLs, "" if there is one URL only.
func (r *Report) Others() string {
	if len(r.URLs) < 2 {
		return ""
	}
	return fmt.Sprintf(" and %s", figures.Counted(int64(len(r.URLs)-1), "more URL", "more URLs"))
}
