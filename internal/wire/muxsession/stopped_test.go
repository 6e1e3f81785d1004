package muxsession

import "testing"

// When one of two sides that wait for each other's windows stops receiving, the other can go on.
func TestStoppedLetsThePeerGoOn(t *testing.T) {
	for _, size := range []int{1000, 100_000} { // messages that are not taken, and the beginning of one
		p := newPair(t, nil)
		c := p.a.open("x")
		p.run(0)
		d := p.b.accept("x")
		const each = 150
		for k := range each {
			p.a.send(c, text(k, 1000))
			p.b.send(d, text(k, size))
		}
		p.settle(0)
		if len(p.a.done) == each || len(p.b.done) == each {
			t.Fatalf("%d and %d messages were sent: no Send waits", len(p.a.done), len(p.b.done))
		}
		p.a.s.End(c, Stopped)
		for k := range each {
			p.settle(0)
			if k == 0 && len(p.b.done) != each {
				t.Fatalf("size %d: %d messages have room with a side that takes nothing", size, len(p.b.done))
			}
			for d.Ready() {
				p.b.mem.Put(p.b.s.Take(d))
			}
		}
		p.b.s.End(d, SendClosed)
		p.settle(0)
		if len(p.a.done) != each || d.Received() != each || !c.Over() || !d.Over() {
			t.Errorf("size %d: %d sent, %d received, over: %v, %v", size, len(p.a.done), d.Received(), c.Over(), d.Over())
		}
	}
}
