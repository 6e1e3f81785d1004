package main

import (
	"fmt"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchOneWay is how the connections ended on which messages went one way. elapsed_s has parting_s in it: the rate is that of
// messages that were read, where all connections were confirmed.
type benchOneWay struct {
	Conns     int64   `json:"conns"`     // open when the last message had left
	Confirmed int64   `json:"confirmed"` // of those: the other side has ended its half, too, so it has read everything
	Parting   float64 `json:"parting_s"` // from then until all had, or the last that did
}

// newBenchOneWay is nil for a run whose messages come back. One that has not been counted has confirmed nothing.
func newBenchOneWay(cfg load.Config, w *load.OneWay) *benchOneWay {
	switch {
	case !cfg.Message.OneWay:
		return nil
	case w == nil:
		return new(benchOneWay)
	}
	return &benchOneWay{w.Conns, w.Confirmed, w.Parting.Seconds()}
}

// said is what the other side has said at the end. flawless tells that no connection was lost before.
func (w *benchOneWay) said(flawless bool) string {
	if w.Confirmed < w.Conns || !flawless || w.Conns == 0 {
		return fmt.Sprintf("of %s at the end %s that everything was read", counted(w.Conns, "connection", "connections"),
			counted(w.Confirmed, "says", "say"))
	}
	return fmt.Sprintf("the other side had read them all %s later", seconds(w.Parting))
}
