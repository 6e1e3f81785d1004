package report

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// OneWay is the part of the report about one-way messages: how the connections ended. elapsed_s includes
// parting_s, so if all connections were confirmed the rate is that of messages which the other side has read.
type OneWay struct {
	Conns     int64   `json:"conns"`     // open when the last message had been sent
	Confirmed int64   `json:"confirmed"` // of those: the other side has also ended its direction, so it has read everything
	Parting   float64 `json:"parting_s"` // from the last message to the last confirmation
}

// newOneWay returns nil if messages are echoed, and zeros if the run ended before counting.
func newOneWay(cfg load.Config, w *account.OneWay) *OneWay {
	switch {
	case !cfg.Message.OneWay:
		return nil
	case w == nil:
		return new(OneWay)
	}
	return &OneWay{w.Conns, w.Confirmed, w.Parting.Seconds()}
}
