package output_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/output"
)

// counts is a source with a Gather that counts its units and the times it is drawn.
type counts struct {
	mu     sync.Mutex
	gather output.Gather
	units  int
	drawn  []int         // the units of each draw
	draws  chan struct{} // gets a value for each draw
}

// DrawNow implements output.Drawer: the output draws at once.
func (c *counts) DrawNow() {
	c.mu.Lock()
	c.drawn = append(c.drawn, c.units)
	c.units = 0
	c.gather.Drawn(false)
	c.mu.Unlock()
	c.draws <- struct{}{}
}

// send adds a unit, as a protocol does.
func (c *counts) send() {
	c.mu.Lock()
	c.units++
	gather := c.gather.Sends()
	draws := c.gather.Ask()
	soon := c.gather.Soon(c)
	c.mu.Unlock()
	switch {
	case !draws:
	case gather:
		go soon()
	default:
		c.DrawNow()
	}
}

// A unit leaves at once if nothing else is being sent, and the units that follow it leave together.
func TestGather(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := &counts{draws: make(chan struct{}, 10)}
	c.send()
	if len(c.draws) != 1 {
		t.Fatal("the first unit waits")
	}
	for range 5 {
		c.send()
	}
	<-c.draws
	<-c.draws
	c.gather.Received()
	c.send()
	if len(c.draws) != 1 {
		t.Error("after something was received, the next unit waits")
	}
	if len(c.drawn) != 3 || c.drawn[0] != 1 || c.drawn[1] != 5 || c.drawn[2] != 1 {
		t.Errorf("drawn: %v, want 1, 5 and 1 units", c.drawn)
	}
}

// While a source is about to be asked, it is not drawn from elsewhere.
func TestGatherAsksOnce(t *testing.T) {
	var g output.Gather
	if !g.Ask() || g.Ask() || !g.Asked() {
		t.Error("asked twice")
	}
	if g.Drawn(true); g.Ask() {
		t.Error("the output asks again by itself if there is more")
	}
	if g.Drawn(false); !g.Ask() {
		t.Error("not asked again")
	}
}

// Gathering does not allocate once it has begun.
func TestGatherAllocs(t *testing.T) {
	var g output.Gather
	d := &counts{draws: make(chan struct{}, 1)}
	g.Soon(d)
	if n := testing.AllocsPerRun(100, func() {
		g.Sends()
		g.Ask()
		g.Soon(d)
		g.Drawn(false)
		g.Received()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
