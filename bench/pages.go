package main

import (
	"path/filepath"

	"github.com/shockwave-go/shockwave/bench/internal/report"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// rewrite writes figures into the pages of the repository in root: the tables of s into the suite's page in bench/figures, and
// a digest of all suites into docs/benchmarks.md and the README.
func rewrite(s *suite.Suite, f *result.File, root string) error {
	all, err := everything(s, f, root)
	if err != nil {
		return err
	}
	readme, benchmarks := filepath.Join(root, "README.md"), filepath.Join(root, "docs", "benchmarks.md")
	for _, part := range []struct{ page, name, text string }{
		{filepath.Join(root, figures(s.Name)), s.Name, report.Page(s, f)},
		{benchmarks, "summary", report.Short(all)},
		{benchmarks, "plots", report.Plots(all)},
		{benchmarks, "losses", report.Losses(all)},
		{benchmarks, "suites", report.Index(all)},
		{readme, "claims", report.Claims(all)},
		{readme, "summary", report.Short(all)},
	} {
		if err := report.Rewrite(part.page, part.name, part.text); err != nil {
			return err
		}
	}
	return nil
}

// figures returns the name of the page with all figures of the suite called name, below the repository's root.
func figures(name string) string { return "bench/figures/" + name + ".md" }

// everything returns the results of all suites: f for s, and the files in results/ for the others.
func everything(s *suite.Suite, f *result.File, root string) (all []report.Results, err error) {
	for _, name := range published {
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
