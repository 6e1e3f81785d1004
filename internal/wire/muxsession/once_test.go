package muxsession

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// After a broken connection, messages that may have been lost are dropped, and all others are delivered.
func TestAtMostOnce(t *testing.T) {
	for at := 0; ; at++ {
		p := newPair(t, nil)
		c := &Channel{}
		p.a.s.Open(c, "once", nil, true)
		d := p.a.open("always")
		p.run(0)
		x, y := p.b.accept("once"), p.b.accept("always")
		for k := range 3 {
			p.a.send(c, text(k, 20))
			p.a.send(d, text(k, 20))
		}
		p.a.lend(1<<20, p.now)
		if at > len(p.a.wire) {
			return
		}
		if err := p.deliver(p.a, at); err != nil {
			t.Fatal(err)
		}
		p.cut()
		p.a.send(c, "later")
		p.connect()
		p.settle(0)
		p.b.want(y, "always", text(0, 20), text(1, 20), text(2, 20))
		n := int(x.Received()) - 1
		for k := range n {
			if b := p.b.s.Take(x); string(b) != text(k, 20) {
				t.Fatalf("cut at %d: %q", at, b)
			}
		}
		p.b.want(x, "behind the break", "later")
		if c.Acked() != uint64(n)+1 || c.Voided() != uint64(3-n) || c.Sent() != 4 {
			t.Fatalf("cut at %d: %d came, %d acknowledged, %d dropped", at, n, c.Acked(), c.Voided())
		}
		p.settle(0)
		if p.a.s.Kept() != 0 || p.b.s.window.used != 0 {
			t.Fatalf("cut at %d: accounts are not even", at)
		}
	}
}

// A dropped message keeps its place in the stream, and its window is returned.
func TestVoidIsSentAgain(t *testing.T) {
	p := newPair(t, nil)
	c := &Channel{}
	p.a.s.Open(c, "once", nil, true)
	p.run(0)
	for k := range 3 {
		p.a.send(c, text(k, 3000))
	}
	credit := p.a.s.credit
	p.a.lend(1<<20, p.now)
	sent := len(p.a.wire)
	p.cut()
	p.connect()
	p.a.lend(1<<20, p.now)
	for at := len(p.a.wire) - sent; at < len(p.a.wire); {
		typ, f, number, size := muxframe.Measure(p.a.wire[at:])
		if typ != muxframe.Data || f&muxframe.Void == 0 || number != c.number {
			t.Fatalf("%v %x of channel %d", typ, f, number)
		}
		at += size
	}
	if n := p.a.s.Stats().Resent; n != uint64(sent) {
		t.Errorf("%d bytes were sent again, want %d", n, sent)
	}
	p.settle(0)
	if w := p.b.s.window; c.Voided() != 3 || w.used != 0 || w.credit != p.a.s.credit || p.a.s.credit != credit || p.b.announced[0].Buffered() != 0 {
		t.Errorf("%d were dropped, %+v, the peer has %d", c.Voided(), w, p.a.s.credit)
	}
}

// Messages sent after the break are delivered, also behind a cancelled message.
func TestAtMostOnceBehindCancel(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 4<<20, 4<<20
		}
	})
	c := &Channel{}
	p.a.s.Open(c, "once", nil, true)
	p.run(0)
	large := p.a.send(c, text(0, 600_000))
	p.a.lend(1<<20, p.now)
	if large.off == 0 || !p.a.s.Cancel(c, large) {
		t.Fatal("it has not begun, or is done")
	}
	p.cut()
	later := p.a.send(c, "later")
	p.connect()
	p.settle(0)
	if later.Err != nil || c.Voided() != 0 {
		t.Errorf("%v, %d were dropped", later.Err, c.Voided())
	}
	p.b.want(p.b.accept("once"), "behind the break", "later")
}

// The Watcher is told when messages are dropped.
func TestAtMostOnceTells(t *testing.T) {
	p := newPair(t, nil)
	c := &Channel{}
	p.a.s.Open(c, "once", nil, true)
	p.settle(0)
	p.a.send(c, "dropped")
	p.a.lend(1<<20, p.now)
	p.cut()
	p.connect()
	p.settle(0)
	if c.Voided() != 1 || p.a.acked == 0 {
		t.Errorf("%d dropped, and the Watcher was called %d times", c.Voided(), p.a.acked)
	}
}

// A message whose frame was cut arrives, and does not count as settled before that.
func TestMessageBeforeADroppedOne(t *testing.T) {
	p := newPair(t, nil)
	c := &Channel{}
	p.a.s.Open(c, "once", nil, true)
	p.settle(0)
	p.a.send(c, text(0, 1000))
	first := c.Written()
	p.a.send(c, text(1, 1000))
	second := c.Written()
	p.a.lend(1<<20, p.now)
	if err := p.deliver(p.a, 500); err != nil {
		t.Fatal(err)
	}
	p.cut()
	p.connect()
	if c.Voided() != 1 || c.Settled() >= first {
		t.Errorf("%d were dropped, %d of %d are settled", c.Voided(), c.Settled(), first)
	}
	p.settle(0)
	if c.Acked() != 1 || c.Settled() != second {
		t.Errorf("%d are acknowledged, %d of %d are settled", c.Acked(), c.Settled(), second)
	}
	p.b.want(p.b.accept("once"), "cut", text(0, 1000))
}
