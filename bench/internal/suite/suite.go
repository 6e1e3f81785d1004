// Package suite measures peers in scenarios, in rounds that alternate between the peers. It knows no protocol: a suite is a
// table of scenarios that another package defines.
package suite

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Suite is everything that one command measures.
type Suite struct {
	Name      string
	Title     string
	Peers     []string          // in the order of the report
	Ours      []string          // the peers that are part of this module
	Modules   map[string]string // the peers that are other Go modules, by module path; for their versions
	Scenarios []Scenario        // in the order of the report
	Goals     []Goal
	Claims    []Claim // for the beginning of the README
	Short     []Line  // for the summary
	Plot      string  // the scenario that stands for the suite on the page for readers
}

// Find returns the scenario called name, nil if there is none.
func (s *Suite) Find(name string) *Scenario {
	for i := range s.Scenarios {
		if s.Scenarios[i].Name == name {
			return &s.Scenarios[i]
		}
	}
	return nil
}

// Scenario is one kind of measurement, made with every peer that supports it.
type Scenario struct {
	Name  string // for -only and in the results
	Title string
	About string // sentences that explain how it is measured, where the title does not say

	Peers   []string          // the peers that take part, in the order of the report
	Cannot  map[string]string // why other peers do not take part
	Against []string          // the peers that the others are compared with, by the first metric
	Metrics []Metric          // for the report; the first is the most important
	Options process.Options

	Rounds   int  // largest number of rounds; 0: no limit
	Together bool // measure all peers of a round at the same time: for long measurements that use no CPU time

	// Missing returns an error if the scenario needs something that this machine lacks. It may be nil.
	Missing func() error
	// Time returns how long one measurement takes, if the flag -d is d.
	Time func(d time.Duration) time.Duration
	// Check returns an error if a peer does not give the response that all peers must give.
	Check func(s *process.Server) error
	// Measure measures one peer in a fresh process.
	Measure func(ctx context.Context, b *Bench, s *process.Server) (result.Values, error)
}

// Bench is the environment of a measurement.
type Bench struct {
	Load     load.Tool
	Duration time.Duration // how long a measurement counts; longer measurements are multiples of it
	Dir      string        // a directory for files; removed at the end
}

// Line is a row of the summary: a figure of one of ours, divided by that of another peer. An empty title means the title of
// the row above.
type Line struct{ Title, Scenario, Metric, Peer, Against string }

// Claim is a sentence in which a ratio replaces %s.
type Claim struct{ Text, Scenario, Metric, Peer, Against string }
