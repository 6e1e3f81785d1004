package suite

import (
	"context"
	"fmt"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Check starts every peer of the scenarios and checks that it gives the responses that they need. It returns an error that
// names the first peer with a different response.
func (r *Runner) Check(ctx context.Context, scenarios []*Scenario) error {
	type kind struct {
		peer    string
		options process.Options
	}
	running := map[kind]*process.Server{}
	defer func() {
		for _, s := range running {
			s.Stop()
		}
	}()
	for _, sc := range scenarios {
		peers, _ := r.Lineup(sc)
		for _, name := range peers {
			k := kind{name, sc.Options}
			k.options.Cores = process.Both
			if running[k] == nil {
				s, err := process.Start(ctx, name, k.options)
				if err != nil {
					return err
				}
				running[k] = s
			}
			if err := sc.Check(running[k]); err != nil {
				return fmt.Errorf("%s: %s does not respond as all peers must: %w", sc.Name, name, err)
			}
		}
	}
	return nil
}
