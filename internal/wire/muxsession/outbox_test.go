package muxsession

import (
	"bytes"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// lends calls Lend and checks what becomes of it.
func (e *end) lends(why string, now int64, most int, copied, lent, more bool) (data [][]byte) {
	e.t.Helper()
	dst, data, again := e.s.Lend(nil, make([][]byte, 0, 4), most)
	if len(dst) > 0 != copied || len(data) > 0 != lent || again != more {
		e.t.Fatalf("%s: %d bytes copied, %d pieces lent, more %v", why, len(dst), len(data), again)
	}
	return data
}

// Small output is copied, large output is lent, and Lend asks to be called again after it has lent something.
func TestLend(t *testing.T) {
	p := newPair(t, nil)
	p.a.lends("nothing", 1, 1<<20, false, false, false)
	c := p.a.open("x")
	p.a.send(c, text(0, 1000))
	p.a.lends("little", 1, 1<<20, true, false, false)
	p.a.send(c, text(1, 20_000))
	data := p.a.lends("much", 1, 1<<20, false, true, true)
	if p.a.s.out.lent != 1 {
		t.Error("the lent part is not marked as lent")
	}
	if p.a.lends("nothing more", 1, 1<<20, false, false, false); p.a.s.out.lent != 0 || len(data[0]) < 20_000 {
		t.Error("a part that has left is still lent")
	}
	p.a.s.Detach()
	p.a.send(c, "later")
	p.a.lends("no connection", 1, 1<<20, false, false, false)
}

// Acknowledged chunks are released while others are lent.
func TestAckBetweenLends(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Ours.Window, c.Theirs.Window = 1<<20, 1<<20 })
	c := p.a.open("x")
	const n = 60
	for k := range n {
		p.a.send(c, text(k, 15_000))
	}
	for p.a.lend(50_000, p.now) { // the last part is lent while the earlier ones are acknowledged
		if err := p.deliver(p.a, len(p.a.wire)); err != nil {
			t.Fatal(err)
		}
		p.b.s.link.due |= dueAck
		p.b.lend(1<<20, p.now)
		if err := p.deliver(p.b, len(p.b.wire)); err != nil {
			t.Fatal(err)
		}
	}
	p.settle(0)
	d := p.b.accept("x")
	for k := range n {
		if b := p.b.s.Take(d); string(b) != text(k, 15_000) {
			t.Fatalf("message %d: %.20q", k, b)
		}
	}
	if p.a.s.Trim(); p.a.mem.held != 0 || c.Acked() != n {
		t.Errorf("%d bytes are held, %d acknowledged", p.a.mem.held, c.Acked())
	}
}

// Memory lent to a connection that is gone is neither changed nor returned to the pool.
func TestLentStaysAsItIs(t *testing.T) {
	p := newPair(t, nil)
	c := &Channel{}
	p.a.s.Open(c, "once", nil, true)
	p.a.send(c, text(0, 20_000))
	data := p.a.lends("much", 1, 1<<20, false, true, true)
	was := bytes.Join(data, nil)
	p.cut()
	p.connect()
	p.settle(0)
	p.a.s.Trim()
	if !bytes.Equal(bytes.Join(data, nil), was) {
		t.Error("the lent bytes were changed")
	}
	if d := p.b.accept("once"); d.Ready() || c.Voided() != 1 || p.a.s.Kept() != 0 {
		t.Errorf("delivered: %v, dropped: %d", d.Ready(), c.Voided())
	}
}

// Without a connection the outbox takes messages up to Settings.Kept.
func TestBrokenConnectionLetsSend(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Ours.Window, c.Theirs.Window = 1<<20, 1<<20 })
	c := p.a.open("x")
	for k := range 90 {
		p.a.send(c, text(k, 10_000))
	}
	if n := c.Sent(); n > 30 {
		t.Fatalf("%d messages are in the outbox", n)
	}
	if p.a.s.Detach(); c.Sent() != 90 || c.Pending() {
		t.Errorf("%d of 90 messages are in the outbox", c.Sent())
	}
}

// Fits reports true exactly for messages that Send would not wait for.
func TestFits(t *testing.T) {
	limits := func(kept, session, window int) func(c *Config) {
		return func(c *Config) {
			c.Kept, c.Theirs.Session, c.Theirs.Window = kept, uint32(session), uint32(window)
		}
	}
	for name, tc := range map[string]struct {
		change func(c *Config)
		most   int
	}{
		"the channel's window": {limits(1<<20, 1<<20, 10_000), 10_000 - 2*muxframe.Overhead},
		"the session's window": {limits(1<<20, 10_000, 1<<20), 10_000 - 2*muxframe.Overhead},
		"what is kept":         {limits(10_000, 1<<20, 1<<20), 10_000 - 4 - 2*muxframe.MaxHead},
		"the connection":       {limits(1<<20, 1<<20, 1<<20), backlog - 4 - 9*muxframe.MaxHead},
	} {
		p := newPair(t, tc.change)
		c := p.a.open("x")
		if !p.a.s.Fits(c, tc.most) || p.a.s.Fits(c, tc.most+1) {
			t.Errorf("%s: %d bytes fit: %v, one more: %v", name, tc.most, p.a.s.Fits(c, tc.most), p.a.s.Fits(c, tc.most+1))
		}
		p.a.send(c, text(0, tc.most))
		if c.Pending() {
			t.Errorf("%s: a message that fits waits", name)
		}
	}
}
