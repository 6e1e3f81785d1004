package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Plots returns the plots of all suites.
func Plots(all []Results) string {
	var parts []string
	for _, r := range all {
		if text := Plot(r); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// Losses returns a table of the pairs of ours and another peer in which the other was better in at least one scenario: in how
// many, and in which by most. A difference that was not seen in every round does not count.
func Losses(all []Results) string {
	list := [][]string{{"", "behind", "scenarios", "by most in"}}
	for _, r := range all {
		title := r.Suite.Title
		for _, ours := range r.Suite.Ours {
			for _, other := range r.Suite.Peers {
				if slices.Contains(r.Suite.Ours, other) {
					continue
				}
				if worst, n, of := lossesTo(r, ours, other); n > 0 {
					list = append(list, []string{title, ours + " ÷ " + other, fmt.Sprintf("%d of %d", n, of), worst})
					title = ""
				}
			}
		}
	}
	var b strings.Builder
	rows(&b, list)
	return strings.TrimSuffix(b.String(), "\n")
}

// lossesTo counts the scenarios in which other was better than ours in every round, and those in which both were measured. worst is
// the title and the ratio of the scenario in which the difference was largest.
func lossesTo(r Results, ours, other string) (worst string, n, of int) {
	largest := 0.0
	for i := range r.Suite.Scenarios {
		sc := &r.Suite.Scenarios[i]
		res := r.File.Find(sc.Name)
		if res == nil {
			continue
		}
		metric := sc.Metrics[0]
		own, its := res.Of(ours, metric.Key), res.Of(other, metric.Key)
		if own.N == 0 || its.N == 0 {
			continue
		}
		of++
		figure := res.Ratio(ours, other, metric.Key)
		text, factor, lost := spread(figure, ratio), figure.Median, figure.Min > 1
		switch {
		case figure.N == 0: // the other's figure is 0
			text, factor, lost = suite.Number(own.Median)+" beside 0", math.Inf(1), !metric.More && own.Median > 0
		case metric.More:
			factor, lost = 1/figure.Median, figure.Max < 1
		}
		if !lost {
			continue
		}
		n++
		if factor > largest {
			largest = factor
			worst = fmt.Sprintf("%s, %s: %s", sc.Title, metric.Title, text)
		}
	}
	return worst, n, of
}

// Index returns a list of the pages with all figures, one for each suite.
func Index(all []Results) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "- [%s](../bench/figures/%s.md): %s\n", r.Suite.Title, r.Suite.Name, strings.TrimPrefix(tally(r.Suite, r.File), "Of "))
	}
	return b.String()
}
