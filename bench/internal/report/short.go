package report

import (
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Short is the README's table, in Markdown: the medians of a few figures for every peer, and how many goals are met.
func Short(s *suite.Suite, f *result.File) string {
	list := [][]string{append([]string{""}, s.Peers...)}
	var newest result.Run
	for _, line := range s.Short {
		row := []string{line.Title}
		for _, name := range s.Peers {
			cell := "–"
			if res := f.Find(line.Scenario); res != nil {
				if figure := res.Of(name, line.Metric); figure.N > 0 {
					cell = suite.Number(figure.Median)
				}
				if run := f.Runs[res.Run]; run.Date.After(newest.Date) {
					newest = run
				}
			}
			row = append(row, cell)
		}
		list = append(list, row)
	}
	var b strings.Builder
	if !newest.Date.IsZero() {
		// A file may hold several runs: each one's rounds and command stand in the long page.
		fmt.Fprintf(&b, "Medians, measured %s on %s.\n%s.\n\n",
			newest.Date.UTC().Format("2006-01-02"), newest.Machine, versions(newest.Versions))
	}
	rows(&b, list)
	fmt.Fprintf(&b, "%s\n", tally(s, f))
	return b.String()
}

// tally counts verdicts.
func tally(s *suite.Suite, f *result.File) string {
	count := map[suite.Verdict]int{}
	for _, g := range s.Goals {
		_, verdict := g.Judge(f)
		count[verdict]++
	}
	return fmt.Sprintf("Of %d aims in docs/benchmarks.md: goal met %d, floor met %d, floor missed %d, goal without a floor "+
		"missed %d, not measured %d.", len(s.Goals), count[suite.Reached], count[suite.AboveFloor], count[suite.Missed],
		count[suite.NotReached], count[suite.Unknown])
}
