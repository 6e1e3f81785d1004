package main

import (
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// missing returns an error if a peer cannot be measured on this machine, nil otherwise.
func missing(name string) error {
	_, err := find(name)
	return err
}

// lacking is missing without building what takes minutes to build.
func lacking(name string) error {
	if h3peer.IsProgram(name) {
		return h3peer.Missing(name)
	}
	return missing(name)
}

// find returns the path of a peer's program, "" if the peer runs inside this program. The error names what is missing.
func find(name string) (string, error) {
	if path, err := h2peer.Find(name); path != "" || err != nil {
		return path, err
	}
	if path, err := h3peer.Find(name); path != "" || err != nil {
		return path, err
	}
	return sockpeer.Find(name)
}

// choose returns the scenarios that the flags select. It leaves out those that need a program that is not installed.
func choose(s *suite.Suite, opt measureOptions, r *suite.Runner, con console) (chosen []*suite.Scenario) {
	for i := range s.Scenarios {
		sc := &s.Scenarios[i]
		if !opt.only.MatchString(sc.Name) {
			continue
		}
		if sc.Missing != nil {
			if err := sc.Missing(); err != nil {
				fmt.Fprintf(con.err, "bench: %s is skipped: %v\n", sc.Name, err)
				continue
			}
		}
		if peers, _ := r.Lineup(sc); len(peers) == 0 {
			fmt.Fprintf(con.err, "bench: %s is skipped: it measures none of the peers that are asked for\n", sc.Name)
			continue
		}
		chosen = append(chosen, sc)
	}
	return chosen
}

// announce lists the scenarios and how long they take.
func announce(chosen []*suite.Scenario, r *suite.Runner, con console) error {
	if len(chosen) == 0 {
		return fmt.Errorf("no scenario matches; %w", errUsage)
	}
	var sum time.Duration
	for _, sc := range chosen {
		d := r.Time(sc)
		sum += d
		fmt.Fprintf(con.out, "%-15s %6s  %s\n", sc.Name, d.Round(time.Second), sc.Title)
	}
	fmt.Fprintf(con.out, "%-15s %6s\n\n", "in all", sum.Round(time.Second))
	return nil
}
