package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/report"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// reportCommand prints the results in a file, after merging other files into it, and rewrites the pages if -markdown is
// set.
func reportCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("report", flag.ContinueOnError)
	name := set.String("json", "", "the `FILE` of results")
	from := set.String("from", "", "put the results of these `FILES`, with commas, into that of -json first")
	markdown := set.Bool("markdown", false, "rewrite the pages")
	if err := parse(set, args, con); err != nil {
		return err
	}
	if *name == "" {
		return fmt.Errorf("report needs -json; %w", errUsage)
	}
	f, err := merged(*name, *from)
	if err != nil {
		return err
	}
	newSuite := suites[f.Suite]
	if newSuite == nil {
		return fmt.Errorf("%s has no results of a known suite", *name)
	}
	s := newSuite()
	for _, res := range f.Scenarios {
		if s.Find(res.Name) == nil {
			fmt.Fprintf(con.err, "bench: there is no scenario %s any more; its results are left out\n", res.Name)
		}
	}
	for i := range s.Scenarios {
		if res := f.Find(s.Scenarios[i].Name); res != nil {
			report.Scenario(con.out, &s.Scenarios[i], res)
		}
	}
	report.Goals(con.out, s, f)
	if !*markdown {
		return nil
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return rewrite(s, f, root)
}

// merged returns the results in the file called name. If from names other files, it merges their results and writes the
// merged results back to name.
func merged(name, from string) (*result.File, error) {
	f, err := result.Read(name)
	if err != nil || from == "" {
		return f, err
	}
	for one := range strings.SplitSeq(from, ",") {
		g, err := result.Read(one)
		if err != nil {
			return nil, err
		}
		if f.Suite != "" && g.Suite != f.Suite {
			return nil, fmt.Errorf("%s is about %q, %s about %q", name, f.Suite, one, g.Suite)
		}
		f.Suite = g.Suite
		f.Merge(g)
	}
	return f, f.Write(name)
}
