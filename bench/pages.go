package main

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/shockwave-go/shockwave/bench/internal/report"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// rewrite writes figures into the pages of the repository in root: the tables of s into docs/benchmarks.md, and the
// figures of all suites into the summary there and into the README.
func rewrite(s *suite.Suite, f *result.File, root string) error {
	all, err := everything(s, f, root)
	if err != nil {
		return err
	}
	readme, benchmarks := filepath.Join(root, "README.md"), filepath.Join(root, "docs", "benchmarks.md")
	for _, part := range []struct{ page, name, text string }{
		{benchmarks, s.Name, report.Page(s, f)},
		{benchmarks, "summary", report.Short(all)},
		{readme, "claims", report.Claims(all)},
		{readme, "summary", report.Short(all)},
	} {
		if err := report.Rewrite(part.page, part.name, part.text); err != nil {
			return err
		}
	}
	return nil
}

// everything returns the results of all suites: f for s, and the files in results/ for the others.
func everything(s *suite.Suite, f *result.File, root string) (all []report.Results, err error) {
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		if name == s.Name {
			all = append(all, report.Results{Suite: s, File: f})
			continue
		}
		kept, err := result.Read(filepath.Join(root, "bench", "results", name+".json"))
		if err != nil {
			return nil, err
		}
		if len(kept.Scenarios) == 0 {
			continue // not measured yet: it adds nothing to the summary
		}
		all = append(all, report.Results{Suite: suites[name](), File: kept})
	}
	return all, nil
}
