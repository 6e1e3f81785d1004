package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Results are the results of a suite.
type Results struct {
	Suite *suite.Suite
	File  *result.File
}

// Claims returns the sentences for the beginning of the README, in Markdown. It omits those without a measured figure.
func Claims(all []Results) string {
	var b strings.Builder
	for _, r := range all {
		for _, c := range r.Suite.Claims {
			if figure := compared(r.File, c.Scenario, c.Metric, c.Peer, c.Against); figure.N > 0 {
				fmt.Fprintf(&b, "- "+c.Text+"\n", share(figure.Median))
			}
		}
	}
	return b.String()
}

// share formats a ratio for a sentence: 54 %, or 1/13 if it is small.
func share(v float64) string {
	if v > 0 && v < 0.2 {
		return fmt.Sprintf("1/%.0f", math.Round(1/v))
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// Short returns the summary of all suites in Markdown: a table of some ratios.
func Short(all []Results) string {
	list := [][]string{{"", "of", "ratio [range]"}}
	for _, r := range all {
		for _, line := range r.Suite.Short {
			figure := compared(r.File, line.Scenario, line.Metric, line.Peer, line.Against)
			list = append(list, []string{line.Title, line.Peer + " ÷ " + line.Against, spread(figure, ratio)})
		}
	}
	var b strings.Builder
	rows(&b, list)
	return strings.TrimSuffix(b.String(), "\n")
}

// compared returns a figure of one peer divided by another's.
func compared(f *result.File, scenario, metric, name, other string) result.Summary {
	res := f.Find(scenario)
	if res == nil {
		return result.Summary{}
	}
	return res.Ratio(name, other, metric)
}

// tally returns a sentence with the number of goals by verdict.
func tally(s *suite.Suite, f *result.File) string {
	count := map[suite.Verdict]int{}
	for _, g := range s.Goals {
		_, verdict := g.Judge(f)
		count[verdict]++
	}
	return fmt.Sprintf("Of %d aims: goal met %d, floor met %d, floor missed %d, goal without a floor missed %d, not measured %d.",
		len(s.Goals), count[suite.Reached], count[suite.AboveFloor], count[suite.Missed], count[suite.NotReached],
		count[suite.Unknown])
}
