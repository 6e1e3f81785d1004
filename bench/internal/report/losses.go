package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// losses lists the scenarios in which a peer's first metric is better than ours, with our median and its ratio to theirs.
func losses(b *strings.Builder, s *suite.Suite, f *result.File) {
	var lines []string
	for i := range s.Scenarios {
		sc := &s.Scenarios[i]
		res := f.Find(sc.Name)
		if res == nil {
			continue
		}
		var behind []string
		for _, ours := range s.Ours {
			if better := betterThan(s, ours, sc.Metrics[0], res); len(better) > 0 {
				behind = append(behind, fmt.Sprintf("%s (%s)", median(res, ours, sc.Metrics[0]), strings.Join(better, ", ")))
			}
		}
		if len(behind) > 0 {
			lines = append(lines, fmt.Sprintf("- %s, %s: %s", sc.Title, sc.Metrics[0].Title, strings.Join(behind, "; ")))
		}
	}
	about := "Our figure, and its ratio to the better one. If the range contains 1, the measurement shows no difference."
	if len(lines) == 0 {
		about, lines = "", []string{"In no scenario that was measured."}
	}
	fmt.Fprintf(b, "### Where another is better\n\n%s\n\n", strings.TrimSpace(about+"\n\n"+strings.Join(lines, "\n")))
}

// betterThan returns the other peers whose figure is better than that of one of ours. It compares by the ratio within the
// rounds, or by the medians if there is no ratio because the other's figure is 0.
func betterThan(s *suite.Suite, ours string, m suite.Metric, res *result.Scenario) (better []string) {
	for _, other := range s.Peers {
		own, its := res.Of(ours, m.Key), res.Of(other, m.Key)
		if own.N == 0 || its.N == 0 || slices.Contains(s.Ours, other) {
			continue
		}
		above, below, behind := own.Median > its.Median, own.Median < its.Median, median(res, other, m)
		if r := res.Ratio(ours, other, m.Key); r.N > 0 {
			above, below, behind = r.Median > 1, r.Median < 1, "÷ "+other+" "+spread(r, ratio)
		}
		if above && !m.More || below && m.More {
			better = append(better, behind)
		}
	}
	return better
}

func median(res *result.Scenario, name string, m suite.Metric) string {
	return name + " " + suite.Number(res.Of(name, m.Key).Median)
}
