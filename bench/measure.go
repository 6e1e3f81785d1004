package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/report"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// measure measures the selected scenarios, prints the table of each when it is done, and stores the figures. A scenario
// that fails leaves no figures; the others are still measured, and the error names the one that failed.
func measure(ctx context.Context, s *suite.Suite, opt measureOptions, con console) error {
	r := &suite.Runner{Rounds: opt.rounds, Peers: opt.peers, Missing: missing, Bench: suite.Bench{Duration: opt.duration}}
	r.Sampled = func(sc *suite.Scenario, rounds int, one result.Sample) { report.Sample(con.out, sc, rounds, one) }
	if opt.list {
		r.Missing = lacking
	}
	chosen := choose(s, opt, r, con)
	if opt.list || len(chosen) == 0 {
		return announce(chosen, r, con)
	}
	if err := process.CanPin(); err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if r.Bench.Dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.Bench.Dir)
	if r.Bench.Load, err = load.Build(ctx, root, r.Bench.Dir); err != nil {
		return err
	}
	if err := r.Check(ctx, chosen); err != nil {
		return err
	}
	announce(chosen, r, con)
	run := result.Run{Date: time.Now().UTC().Truncate(time.Second), Command: opt.command, Machine: result.ThisMachine(),
		Versions: versions(ctx, s, root), Rounds: opt.rounds, Duration: opt.duration.String()}
	f, failed := runAll(ctx, r, s, chosen, run, opt, con)
	report.Goals(con.out, s, f)
	if opt.markdown && failed == nil {
		return rewrite(s, f, root)
	}
	return failed
}

// runAll measures the scenarios one by one and writes the results after each, so that an interrupt loses only one.
func runAll(ctx context.Context, r *suite.Runner, s *suite.Suite, chosen []*suite.Scenario, run result.Run,
	opt measureOptions, con console) (*result.File, error) {
	f := &result.File{Suite: s.Name}
	var failed []string
	for _, sc := range chosen {
		fmt.Fprintf(con.out, "%s\n", sc.Name)
		res, err := r.Run(ctx, sc)
		if err != nil {
			fmt.Fprintf(con.err, "bench: %v\n", err)
			failed = append(failed, sc.Name)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		report.Scenario(con.out, sc, &res)
		f.Put(run, res)
		if err := keep(f, opt.jsonFile); err != nil {
			return f, err
		}
	}
	if len(failed) > 0 {
		return f, fmt.Errorf("no figures of %s", strings.Join(failed, ", "))
	}
	return f, nil
}

// keep merges f into the results file called name, and sets f to the merged results. It does nothing if name is "".
func keep(f *result.File, name string) error {
	if name == "" {
		return nil
	}
	all, err := result.Read(name)
	if err != nil {
		return err
	}
	all.Suite = f.Suite
	all.Merge(f)
	*f = *all
	return all.Write(name)
}
