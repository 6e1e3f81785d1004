package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

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
	command  string // the command line, as typed
}

func parseMeasure(s *suite.Suite, args []string, con console) (opt measureOptions, err error) {
	set := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	set.IntVar(&opt.rounds, "rounds", 5, "how often each peer is measured in each scenario")
	set.DurationVar(&opt.duration, "d", 3*time.Second, "what is counted of a measurement; long ones are multiples of it")
	only := set.String("only", "", "only scenarios whose name matches this `REGEXP`")
	peers := set.String("peers", "", "only these, with commas: "+strings.Join(s.Peers, ","))
	set.StringVar(&opt.jsonFile, "json", "", "put the figures into this `FILE`; other scenarios' figures stay there")
	set.BoolVar(&opt.markdown, "markdown", false, "rewrite the pages from what -json holds then")
	set.BoolVar(&opt.list, "list", false, "list the scenarios and how long they take")
	if err := parse(set, args, con); err != nil {
		return opt, err
	}
	opt.command = strings.Join(append([]string{"go run .", s.Name}, quoted(args)...), " ")
	if loop := os.Getenv("SHOCKWAVE_LOOP"); loop != "" {
		opt.command = "SHOCKWAVE_LOOP=" + loop + " " + opt.command
	}
	if opt.only, err = regexp.Compile(*only); err != nil {
		return opt, fmt.Errorf("-only: %w; %w", err, errUsage)
	}
	if *peers != "" {
		opt.peers = strings.Split(*peers, ",")
	}
	return opt, opt.check(s)
}

func (opt *measureOptions) check(s *suite.Suite) error {
	for _, name := range opt.peers {
		if !slices.Contains(s.Peers, name) {
			return fmt.Errorf("unknown peer %q; %w", name, errUsage)
		}
	}
	switch {
	case opt.rounds < 1 || opt.duration <= 0:
		return fmt.Errorf("-rounds and -d must be greater than 0; %w", errUsage)
	case opt.markdown && opt.jsonFile == "":
		return fmt.Errorf("-markdown needs -json; %w", errUsage)
	}
	return nil
}

// quoted returns words quoted for a shell, where they need it.
func quoted(words []string) (out []string) {
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " |()*?$^[]{}\\'\"&;<>`!#~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return out
}
