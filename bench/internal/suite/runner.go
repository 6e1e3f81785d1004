package suite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Runner measures scenarios.
type Runner struct {
	Bench  Bench
	Rounds int
	Peers  []string // the peers that take part; empty: all
	// Missing returns an error if a peer cannot be started on this machine.
	Missing func(peer string) error
	// Sampled, if set, is called after every measurement, by one goroutine at a time.
	Sampled func(sc *Scenario, rounds int, s result.Sample)
}

// Lineup returns the peers that take part in a scenario, and for the others the reason why they do not. It omits peers that
// are not selected by r.Peers.
func (r *Runner) Lineup(sc *Scenario) (peers []string, skipped map[string]string) {
	skipped = map[string]string{}
	for _, name := range sc.Peers {
		if len(r.Peers) > 0 && !slices.Contains(r.Peers, name) {
			continue
		}
		if err := r.Missing(name); err != nil {
			skipped[name] = err.Error()
			continue
		}
		peers = append(peers, name)
	}
	for name, why := range sc.Cannot {
		if len(r.Peers) == 0 || slices.Contains(r.Peers, name) {
			skipped[name] = why
		}
	}
	return peers, skipped
}

// rounds returns how many rounds a scenario has.
func (r *Runner) rounds(sc *Scenario) int {
	if sc.Rounds > 0 {
		return min(r.Rounds, sc.Rounds)
	}
	return r.Rounds
}

// Time estimates how long Run takes for a scenario.
func (r *Runner) Time(sc *Scenario) time.Duration {
	peers, _ := r.Lineup(sc)
	n := r.rounds(sc)
	if !sc.Together {
		n *= len(peers)
	}
	return time.Duration(n) * sc.Time(r.Bench.Duration)
}

// Run measures a scenario in rounds. In each round every peer is measured once, in a fresh process. The order of the peers
// is rotated by one from round to round.
func (r *Runner) Run(ctx context.Context, sc *Scenario) (result.Scenario, error) {
	peers, skipped := r.Lineup(sc)
	res := result.Scenario{Name: sc.Name, Skipped: skipped}
	for round := 1; round <= r.rounds(sc); round++ {
		order := Turn(peers, round-1)
		var samples []result.Sample
		var err error
		if sc.Together {
			samples, err = r.atOnce(ctx, sc, order)
		} else {
			samples, err = r.inTurn(ctx, sc, order)
		}
		for i := range samples {
			samples[i].Round = round
			if r.Sampled != nil {
				r.Sampled(sc, r.rounds(sc), samples[i])
			}
		}
		res.Samples = append(res.Samples, samples...)
		if err != nil {
			return res, fmt.Errorf("%s, round %d: %w", sc.Name, round, err)
		}
	}
	return res, nil
}

// Turn returns the list rotated to the left by n places.
func Turn(list []string, n int) []string {
	if len(list) == 0 {
		return nil
	}
	n %= len(list)
	return slices.Concat(list[n:], list[:n])
}

func (r *Runner) inTurn(ctx context.Context, sc *Scenario, peers []string) (samples []result.Sample, err error) {
	for _, name := range peers {
		values, err := r.measure(ctx, sc, name)
		if err != nil {
			return samples, err
		}
		samples = append(samples, result.Sample{Peer: name, Values: values})
	}
	return samples, nil
}

func (r *Runner) atOnce(ctx context.Context, sc *Scenario, peers []string) ([]result.Sample, error) {
	samples, failed := make([]result.Sample, len(peers)), make([]error, len(peers))
	var all sync.WaitGroup
	for i, name := range peers {
		all.Go(func() {
			values, err := r.measure(ctx, sc, name)
			samples[i], failed[i] = result.Sample{Peer: name, Values: values}, err
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// measure measures a peer in a process of its own.
func (r *Runner) measure(ctx context.Context, sc *Scenario, name string) (result.Values, error) {
	s, err := process.Start(ctx, name, sc.Options)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	values, err := sc.Measure(ctx, &r.Bench, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}
