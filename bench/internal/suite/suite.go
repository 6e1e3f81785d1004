// Package suite measures peers in scenarios, in rounds that alternate between them. It knows no protocol: a suite is a
// table of scenarios that somebody else fills.
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
	Ours      []string          // those of them that this module makes
	Modules   map[string]string // which peer a module that the program is built from stands for, by the module's path
	Scenarios []Scenario        // in the order of the report
	Goals     []Goal
	Claims    []Claim // of the README's head
	Short     []Line  // of the summary
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

// Scenario is one thing that is measured on every peer that can do it.
type Scenario struct {
	Name  string // for -only and in the results
	Title string
	About string // how it is measured, where that is not plain; sentences

	Peers   []string          // that can do it, in the order of the report
	Cannot  map[string]string // why other peers cannot
	Against []string          // those that the others are compared with, by the first metric
	Metrics []Metric          // of the report; the first is what counts
	Options process.Options

	Rounds   int  // at most; 0: as many as are asked for
	Together bool // all peers of a round at the same time: for what takes long and costs nothing meanwhile

	// Missing says which program the scenario needs and does not find; nil for none.
	Missing func() error
	// Time is how long one measurement takes.
	Time func(d time.Duration) time.Duration
	// Check holds a peer to the answers that all must give.
	Check func(s *process.Server) error
	// Measure measures one peer, which has just been started.
	Measure func(ctx context.Context, b *Bench, s *process.Server) (result.Values, error)
}

// Bench is what a measurement needs besides its peer.
type Bench struct {
	Load     load.Tool
	Duration time.Duration // of what is counted; longer measurements are multiples of it
	Dir      string        // for files; removed at the end
}

// Line is a row of the summary: a figure of one of ours, divided by that of another peer. An empty title stands for
// the one above.
type Line struct{ Title, Scenario, Metric, Peer, Against string }

// Claim is a sentence with one ratio in it, in the place of %s.
type Claim struct{ Text, Scenario, Metric, Peer, Against string }
