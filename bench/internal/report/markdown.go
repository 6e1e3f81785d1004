package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Page returns all results of a suite in Markdown.
func Page(s *suite.Suite, f *result.File) string {
	var b strings.Builder
	goals(&b, s, f)
	losses(&b, s, f)
	for i := range s.Scenarios {
		sc := &s.Scenarios[i]
		res := f.Find(sc.Name)
		if res == nil {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n", upper(sc.Title))
		if about := strings.TrimSpace(sc.About + fewer(f, res)); about != "" {
			fmt.Fprintf(&b, "%s\n\n", about)
		}
		rows(&b, table(sc, res))
		if lines := remarks(sc, res); len(lines) > 0 {
			fmt.Fprintf(&b, "%s\n\n", strings.Join(lines, " "))
		}
	}
	circumstances(&b, s, f)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// fewer returns a sentence with the number of rounds if a scenario had fewer than its run, otherwise "".
func fewer(f *result.File, res *result.Scenario) string {
	n := 0
	for _, sample := range res.Samples {
		n = max(n, sample.Round)
	}
	if n == f.Runs[res.Run].Rounds {
		return ""
	}
	return fmt.Sprintf(" Rounds: %d.", n)
}

// circumstances writes a paragraph for each run: its date, machine, versions and command.
func circumstances(b *strings.Builder, s *suite.Suite, f *result.File) {
	fmt.Fprint(b, "### When and how\n\n")
	for _, key := range slices.Sorted(maps.Keys(f.Runs)) {
		run := f.Runs[key]
		var names []string
		for _, sc := range s.Scenarios {
			if res := f.Find(sc.Name); res != nil && res.Run == key {
				names = append(names, sc.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		of := ""
		if len(f.Runs) > 1 {
			of = " (" + strings.Join(names, ", ") + ")"
		}
		fmt.Fprintf(b, "Measured %s%s on %s. %s.\n%d rounds of %s for each peer, by `%s`.\n\n",
			run.Date.UTC().Format("2006-01-02 15:04 UTC"), of, run.Machine, versions(run.Versions), run.Rounds,
			run.Duration, run.Command)
	}
}

func versions(v map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		all = append(all, name+" "+v[name])
	}
	return strings.Join(all, ", ")
}

// goals writes a table with a row for each goal.
func goals(b *strings.Builder, s *suite.Suite, f *result.File) {
	fmt.Fprint(b, "### Floors and goals\n\n")
	list := [][]string{{"what", "against", "figure", "floor", "goal", ""}}
	for _, g := range s.Goals {
		figure, verdict := g.Judge(f)
		floor, other := "–", "–"
		if g.Floor != nil {
			floor = g.Limit(*g.Floor)
		}
		if g.Against != "" {
			other = g.Against
		}
		list = append(list, []string{g.Title, other, goalFigure(&g, figure), floor, g.Limit(g.Goal), string(verdict)})
	}
	rows(b, list)
	fmt.Fprintf(b, "%s\n\n", tally(s, f))
}

// rows writes a table whose first row is the heading.
func rows(b *strings.Builder, list [][]string) {
	for i, row := range list {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(b, "|---%s|\n", strings.Repeat("|--:", len(row)-1))
		}
	}
	b.WriteString("\n")
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
