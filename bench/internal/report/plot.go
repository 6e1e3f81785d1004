package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// widest is the length of a plot's longest bar, in characters.
const widest = 30

// Plot draws the scenario that stands for a suite: a bar for each peer, as text in a block of Markdown. It returns "" for a
// suite that has no such scenario, or no figures of it.
func Plot(r Results) string {
	sc := r.Suite.Find(r.Suite.Plot)
	if sc == nil {
		return ""
	}
	res := r.File.Find(sc.Name)
	if res == nil {
		return ""
	}
	metric := sc.Metrics[0]
	names, longest, most := 0, 0, 0.0
	for _, name := range sc.Peers {
		if figure := res.Of(name, metric.Key); figure.N > 0 {
			names = max(names, utf8.RuneCountInString(name))
			longest = max(longest, len(suite.Number(figure.Median)))
			most = max(most, figure.Median)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: %s, %s; a %s bar is better.\n\n```\n", r.Suite.Title, sc.Title, metric.Title, direction(metric))
	for _, name := range sc.Peers {
		figure := res.Of(name, metric.Key)
		if figure.N == 0 {
			continue
		}
		bar := 1
		if most > 0 {
			bar = max(1, int(figure.Median/most*widest+0.5))
		}
		fmt.Fprintf(&b, "%-*s  %*s  %s\n", names, name, longest, suite.Number(figure.Median), strings.Repeat("█", bar))
	}
	b.WriteString("```\n")
	return b.String()
}

func direction(m suite.Metric) string {
	if m.More {
		return "longer"
	}
	return "shorter"
}
