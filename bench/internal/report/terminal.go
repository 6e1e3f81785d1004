package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Sample prints one measurement as a line.
func Sample(w io.Writer, sc *suite.Scenario, rounds int, s result.Sample) {
	var figures []string
	for _, m := range sc.Metrics {
		if v, ok := s.Values[m.Key]; ok {
			figures = append(figures, m.Title+" "+suite.Number(v))
		}
	}
	fmt.Fprintf(w, "  %d/%d  %-9s %s\n", s.Round, rounds, s.Peer, strings.Join(figures, "  "))
}

// Scenario prints the table of a scenario.
func Scenario(w io.Writer, sc *suite.Scenario, res *result.Scenario) {
	fmt.Fprintf(w, "\n%s\n", sc.Title)
	rows := table(sc, res)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", width(rows, i)-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + space)
			} else {
				line.WriteString("   " + space + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
	for _, line := range remarks(sc, res) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}

// Goals prints the verdicts on the goals for which there are results.
func Goals(w io.Writer, s *suite.Suite, f *result.File) {
	for _, g := range s.Goals {
		if figure, verdict := g.Judge(f); verdict != suite.Unknown {
			fmt.Fprintf(w, "%-12s %-58s %s, %s\n", strings.Trim(string(verdict), "*"), g.Title+against(&g),
				goalFigure(&g, figure), limits(&g))
		}
	}
}

// goalFigure formats the figure that a goal is about, with its range and unit.
func goalFigure(g *suite.Goal, s result.Summary) string {
	if s.N == 0 {
		return "–"
	}
	return spread(s, g.Number) + g.Suffix()
}

func limits(g *suite.Goal) string {
	if g.Floor == nil {
		return "goal " + g.Limit(g.Goal)
	}
	return "floor " + g.Limit(*g.Floor) + ", goal " + g.Limit(g.Goal)
}

func against(g *suite.Goal) string {
	if g.Against == "" {
		return ""
	}
	return ", ÷ " + g.Against
}

func width(rows [][]string, column int) (widest int) {
	for _, row := range rows {
		widest = max(widest, utf8.RuneCountInString(row[column]))
	}
	return widest
}
