package drive

import (
	"context"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// unused is a driver of runs that do not begin.
type unused struct{}

func (unused) Turns() pace.Turns                 { return pace.Turns{All: 3} }
func (unused) Open(context.Context, *Slot) error { return ErrOver }
func (unused) Bytes() (in, out int64)            { return 0, 0 }
func (unused) Close(context.Context)             {}

// Connections begin with different URLs, and no count is doubled.
func TestURLsAtOnce(t *testing.T) {
	r := newRun(Plan{Conns: 5, URLs: 3}, unused{})
	for i, s := range r.slots {
		if s.turn != i%3 {
			t.Errorf("connection %d begins with URL %d", i, s.turn)
		}
	}
	first := r.shards[0]
	first.now.Targets[1].Record(1000, true)
	if taken, _ := first.take(false); taken.Targets[1].Requests != 1 {
		t.Errorf("%+v was counted", taken.Targets)
	}
	for range 2 {
		if taken, _ := first.take(false); taken.Targets[1] != (account.Target{}) {
			t.Errorf("%+v was counted again", taken.Targets)
		}
	}
}
