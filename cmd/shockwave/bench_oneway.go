package main

import (
	"fmt"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchOneWay is the part of the report about one-way messages: how the connections ended. elapsed_s includes
// parting_s, so if all connections were confirmed the rate is that of messages which the other side has read.
type benchOneWay struct {
	Conns     int64   `json:"conns"`     // open when the last message had been sent
	Confirmed int64   `json:"confirmed"` // of those: the other side has also ended its direction, so it has read everything
	Parting   float64 `json:"parting_s"` // from the last message to the last confirmation
}

// newBenchOneWay returns nil if messages are echoed, and zeros if the run ended before counting.
func newBenchOneWay(cfg load.Config, w *load.OneWay) *benchOneWay {
	switch {
	case !cfg.Message.OneWay:
		return nil
	case w == nil:
		return new(benchOneWay)
	}
	return &benchOneWay{w.Conns, w.Confirmed, w.Parting.Seconds()}
}

// confirmation describes w. flawless says that no connection was lost before the end.
func (w *benchOneWay) confirmation(flawless bool) string {
	if w.Confirmed < w.Conns || !flawless || w.Conns == 0 {
		return fmt.Sprintf("of %s at the end %s that everything was read", counted(w.Conns, "connection", "connections"),
			counted(w.Confirmed, "says", "say"))
	}
	return fmt.Sprintf("the other side had read them all %s later", seconds(w.Parting))
}
