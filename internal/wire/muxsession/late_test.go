package muxsession

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// lateOf returns all that a conforming peer may have sent of a channel before it knew that it is over, apart from DATA.
func lateOf(number uint32) (b []byte) {
	for range 4 {
		b = muxframe.AppendWindow(b, number, uint64(usual.Window)/4)
	}
	for range 2 {
		b = muxframe.AppendReserve(b, number, 512)
	}
	b = muxframe.AppendGrant(b, number, 1, 1000)
	b = muxframe.AppendEnd(b, number, 0)
	b = muxframe.AppendEnd(b, number, muxframe.Stop)
	return muxframe.AppendReset(b, number, 1)
}

// Frames that cross the end of a channel are no flood, however many channels end at once; more frames are.
func TestLateFrames(t *testing.T) {
	const n = budgetBurst/lateFrames + 100
	for name, ends := range map[string]func(s *Session, c *Channel){
		"reset": func(s *Session, c *Channel) { s.Reset(c, 1) },
		"both halves have ended": func(s *Session, c *Channel) {
			s.End(c, SendClosed)
			if _, err := s.Receive(muxframe.AppendEnd(nil, c.number, 0), 1); err != nil {
				t.Fatal(err)
			}
		},
	} {
		p := newPair(t, nil)
		for k := range n {
			c := p.a.open("x")
			ends(p.a.s, c)
			if !c.Over() {
				t.Fatalf("%s: the channel is not over", name)
			}
			if _, err := p.a.s.Receive(lateOf(c.number), p.now); err != nil {
				t.Fatalf("%s: channel %d: %v", name, k, err)
			}
		}
		var err error
		for k := 0; k < budgetBurst+1 && err == nil; k++ {
			_, err = p.a.s.Receive(muxframe.AppendEnd(nil, 1, 0), p.now)
		}
		if err == nil || !strings.Contains(err.Error(), "flood") {
			t.Errorf("%s: more than that: %v", name, err)
		}
	}
}

// Frames for refused channels, and for the second number of a channel that was reset, are no flood.
func TestLateForWhatIsRefused(t *testing.T) {
	p := newPair(t, func(c *Config) { c.MaxChannels = 1 })
	p.b.open("x")
	b := muxframe.AppendOpen(nil, 1, "y", nil) // is refused
	b = append(b, lateOf(1)...)
	b = muxframe.AppendOpen(b, 3, "x", nil) // is the same channel as that of b
	b = muxframe.AppendReset(b, 3, 0)       // is answered with a RESET of the number of b
	b = append(b, lateOf(2)...)
	if _, err := p.b.s.Receive(b, p.now); err != nil {
		t.Fatal(err)
	}
	if n := p.b.s.budget; n.spent != 2 || n.late != 0 { // the refused OPEN, and the RESET of a channel without a message
		t.Errorf("%+v", n)
	}
}

// Two sides that end all their channels at the same time, in every way, break no rule.
func TestCrossedEnds(t *testing.T) {
	const n = budgetBurst/2 + 100
	p := newPair(t, func(c *Config) {
		c.MaxChannels, c.Kept = n, 64<<20
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Window, l.Session = 1024, 64<<20
		}
	})
	p.a.drops, p.b.drops = true, true
	for k := range n {
		c := p.a.open(text(k, 6))
		p.a.send(c, text(k, 600))
	}
	p.run(0)
	for p.b.lend(1<<20, p.now) { // no ACK of this side is on its way
	}
	for k, d := range p.b.announced {
		p.b.mem.Put(p.b.s.Take(d)) // this returns credit
		c := p.a.s.Named(d.Name())
		p.b.s.End(d, SendClosed)
		p.b.s.End(d, Stopped)
		if k%2 == 0 {
			p.b.s.Reset(d, 1)
		}
		p.a.s.End(c, SendClosed)
		if p.a.s.End(c, Stopped); k%3 == 0 {
			p.a.s.Reset(c, 1)
		}
	}
	p.run(0)
	if p.a.s.Channels() != 0 || p.b.s.Channels() != 0 {
		t.Errorf("%d and %d channels are left", p.a.s.Channels(), p.b.s.Channels())
	}
	for _, e := range []*end{p.a, p.b} {
		if n := e.s.budget.spent; n > 1 { // a PING counts as one
			t.Errorf("%d frames to the %s are without effect", n, e.name)
		}
	}
}

// Data for a channel that is over may use the session's window up to the last byte, and not more.
func TestLateDataFillsTheWindow(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 1024, 1024
		}
	})
	p.a.open("x")
	p.run(0)
	p.b.s.Reset(p.b.accept("x"), 1)
	for range 3 {
		for p.b.lend(1000, p.now) {
		}
		if _, err := p.b.s.Receive(data(nil, 1, muxframe.Fin, 1024-muxframe.Overhead), p.now); err != nil {
			t.Fatal(err)
		}
		if !p.b.s.HasOutput() {
			t.Error("no credit is given again for it")
		}
	}
	if p.b.s.window.credit != 1024 || p.b.s.window.used != 0 || p.b.s.budget.spent != 0 {
		t.Errorf("%+v, %d were counted", p.b.s.window, p.b.s.budget.spent)
	}
	if _, err := p.b.s.Receive(data(nil, 1, muxframe.Fin, 1025-muxframe.Overhead), p.now); err != errWindow {
		t.Errorf("a byte more: %v", err)
	}
}
