package account

import (
	"sync/atomic"
	"testing"
	"time"
)

// Only the part of an outage within the counted time counts.
func TestOutagesWithin(t *testing.T) {
	const ms = int64(time.Millisecond)
	var open atomic.Int64
	var o OutageLog
	o.Emptied(100 * ms)
	o.Begin(&open)
	o.Begin(&open) // another connection finds the same
	o.End(300 * ms)
	o.End(310 * ms)
	o.Emptied(400 * ms)
	o.Begin(&open)
	o.End(450 * ms) // too short
	open.Store(1)
	o.Emptied(500 * ms)
	o.Begin(&open) // one has been opened meanwhile
	if d := o.Lasted(900 * ms); d != 0 {
		t.Errorf("an outage of %v with a connection", d)
	}
	open.Store(0)
	o.Emptied(600 * ms)
	o.Begin(&open)
	if d := o.Lasted(900 * ms); d != 300*time.Millisecond {
		t.Errorf("an outage of %v, want 300 ms", d)
	}
	got := o.Within(200*ms, 1000*ms)
	want := []Outage{{0, 100 * time.Millisecond}, {400 * time.Millisecond, 800 * time.Millisecond}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("outages %v, want %v", got, want)
	}
	if got := o.Within(450*ms, 620*ms); got != nil {
		t.Errorf("outages %v where there is none", got)
	}
}
