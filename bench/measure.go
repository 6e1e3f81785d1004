package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/report"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// measureOptions is the command line of a suite.
type measureOptions struct {
	rounds   int
	duration time.Duration
	only     *regexp.Regexp
	peers    []string
	jsonFile string
	markdown bool
	list     bool
	command  string // as it was typed
}

func parseMeasure(name string, args []string, con console) (opt measureOptions, err error) {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.IntVar(&opt.rounds, "rounds", 5, "how often each peer is measured in each scenario")
	set.DurationVar(&opt.duration, "d", 3*time.Second, "what is counted of a measurement; long ones are multiples of it")
	only := set.String("only", "", "only scenarios whose name matches this `REGEXP`")
	peers := set.String("peers", "", "only these, with commas: "+strings.Join(peer.All, ","))
	set.StringVar(&opt.jsonFile, "json", "", "put the figures into this `FILE`; other scenarios' figures stay there")
	set.BoolVar(&opt.markdown, "markdown", false, "rewrite the pages from what -json holds then")
	set.BoolVar(&opt.list, "list", false, "list the scenarios and how long they take")
	if err := parse(set, args, con); err != nil {
		return opt, err
	}
	opt.command = strings.Join(append([]string{"go run .", name}, quoted(args)...), " ")
	if loop := os.Getenv("SHOCKWAVE_LOOP"); loop != "" {
		opt.command = "SHOCKWAVE_LOOP=" + loop + " " + opt.command
	}
	if opt.only, err = regexp.Compile(*only); err != nil {
		return opt, fmt.Errorf("-only: %w; %w", err, errUsage)
	}
	if *peers != "" {
		opt.peers = strings.Split(*peers, ",")
	}
	return opt, opt.check()
}

func (opt *measureOptions) check() error {
	for _, name := range opt.peers {
		if !peer.Known(name) {
			return fmt.Errorf("there is no peer %q; %w", name, errUsage)
		}
	}
	switch {
	case opt.rounds < 1 || opt.duration <= 0:
		return fmt.Errorf("-rounds and -d want more than 0; %w", errUsage)
	case opt.markdown && opt.jsonFile == "":
		return fmt.Errorf("-markdown writes what is in the file of -json; %w", errUsage)
	}
	return nil
}

// quoted are words as a shell wants them.
func quoted(words []string) (out []string) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " |()*?$^[]{}\\'\"&;<>`!#~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return out
}

// measure measures the scenarios that were asked for, prints their tables as they are done, and keeps the figures. A
// scenario that fails leaves no figures; the others are measured all the same, and the error names it.
func measure(ctx context.Context, s *suite.Suite, opt measureOptions, con console) error {
	r := &suite.Runner{Rounds: opt.rounds, Peers: opt.peers, Missing: missing, Bench: suite.Bench{Duration: opt.duration}}
	r.Sampled = func(sc *suite.Scenario, rounds int, one result.Sample) { report.Sample(con.out, sc, rounds, one) }
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
		Versions: versions(ctx, root), Rounds: opt.rounds, Duration: opt.duration.String()}
	f, failed := runAll(ctx, r, s, chosen, run, opt, con)
	report.Goals(con.out, s, f)
	if opt.markdown && failed == nil {
		return rewrite(s, f, root)
	}
	return failed
}

// runAll measures scenario after scenario and writes the results after each, so that an interrupt loses only one.
func runAll(ctx context.Context, r *suite.Runner, s *suite.Suite, chosen []*suite.Scenario, run result.Run,
	opt measureOptions, con console) (*result.File, error) {
	f := &result.File{Suite: s.Name}
	var failed []error
	for _, sc := range chosen {
		fmt.Fprintf(con.out, "%s\n", sc.Name)
		res, err := r.Run(ctx, sc)
		if err != nil {
			fmt.Fprintf(con.err, "bench: %v\n", err)
			failed = append(failed, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		report.Scenario(con.out, sc, &res)
		f.Put(run, res)
		if err := keep(f, opt.jsonFile); err != nil {
			return f, errors.Join(append(failed, err)...)
		}
	}
	return f, errors.Join(failed...)
}

// keep merges the results into the file called name; "" keeps none. Then f holds what the file held too.
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

// rewrite writes the figures into the repository's pages.
func rewrite(s *suite.Suite, f *result.File, root string) error {
	if err := report.Rewrite(filepath.Join(root, "docs", "benchmarks.md"), s.Name, report.Page(s, f)); err != nil {
		return err
	}
	return report.Rewrite(filepath.Join(root, "README.md"), s.Name, report.Short(s, f))
}
