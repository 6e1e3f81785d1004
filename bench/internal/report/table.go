// Package report formats results: for the terminal, and as Markdown for the pages of the repository.
package report

import (
	"fmt"
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// table returns the figures of a scenario. The first row has the headings. There is a row for each peer that took part, a
// column for each metric for which there is a figure, and a column for each peer that the others are compared with.
func table(sc *suite.Scenario, res *result.Scenario) [][]string {
	head := []string{""}
	metrics := slices.DeleteFunc(slices.Clone(sc.Metrics), func(m suite.Metric) bool {
		return !slices.ContainsFunc(sc.Peers, func(name string) bool { return res.Of(name, m.Key).N > 0 })
	})
	for _, m := range metrics {
		head = append(head, m.Title)
	}
	against := slices.DeleteFunc(slices.Clone(sc.Against), func(name string) bool { return !res.Has(name) })
	for _, other := range against {
		head = append(head, "÷ "+other)
	}
	rows := [][]string{head}
	for _, name := range sc.Peers {
		if !res.Has(name) {
			continue
		}
		row := []string{name}
		for _, m := range metrics {
			row = append(row, spread(res.Of(name, m.Key), suite.Number))
		}
		for _, other := range against {
			row = append(row, versus(res, name, other, sc.Metrics[0].Key))
		}
		rows = append(rows, row)
	}
	return rows
}

// spread formats a median with its range, if there is one.
func spread(s result.Summary, number func(float64) string) string {
	low, mid, high := number(s.Min), number(s.Median), number(s.Max)
	switch {
	case s.N == 0:
		return "–"
	case low == high:
		return mid
	}
	return fmt.Sprintf("%s [%s–%s]", mid, low, high)
}

// versus formats the ratio of a peer's figure to another's, with its range.
func versus(res *result.Scenario, name, other, metric string) string {
	if name == other {
		return "1"
	}
	return spread(res.Ratio(name, other, metric), ratio)
}

func ratio(v float64) string { return fmt.Sprintf("%.2f", v) }
