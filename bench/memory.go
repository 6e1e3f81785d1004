package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/wsmemory"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// memoryCommand measures one task of one peer without I/O and prints its figures.
func memoryCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("memory", flag.ContinueOnError)
	name := set.String("peer", wspeer.Blocking, "whose code is measured")
	task := set.String("task", wsmemory.Read, "what it does")
	d := set.Duration("d", time.Second, "for how long")
	if err := parse(set, args, con); err != nil {
		return err
	}
	figures, err := wsmemory.Measure(*task, *name, *d)
	if errors.Is(err, wsmemory.ErrNone) {
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(con.out).Encode(figures)
}
