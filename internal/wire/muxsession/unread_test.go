package muxsession

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// narrow is a session whose window four channels fill.
func narrow(c *Config) {
	for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
		l.Session, l.Window = 64<<10, 16<<10
	}
	c.MaxChannels = 2000
}

// unread opens n channels and sends size bytes at a time in each until it waits. Nobody takes anything of them.
func (p *pair) unread(n, size int) (all []*Channel) {
	p.t.Helper()
	for k := range n {
		c := p.a.open(text(k, 5))
		for !c.Pending() {
			p.a.send(c, text(k, size))
			p.run(0)
		}
		p.b.accept(c.Name())
		all = append(all, c)
	}
	return all
}

// talk sends count messages of size bytes in c and takes them, without anything else being taken.
func (p *pair) talk(c, d *Channel, count, size int) {
	p.t.Helper()
	sent := 0
	for k := range count {
		for sent < count && sent < k+10 { // some are on their way
			p.a.send(c, text(sent, size))
			sent++
		}
		p.run(0)
		if !d.Ready() {
			p.b.s.Await(d, true)
			p.run(0)
			p.b.s.Await(d, false)
		}
		if !d.Ready() {
			p.t.Fatalf("%d messages of %d bytes have come of %d: %+v", k, size, count, p.b.s.window)
		}
		b := p.b.s.Take(d)
		if string(b) != text(k, size) {
			p.t.Fatalf("message %d is %.20q", k, b)
		}
		p.b.mem.Put(b)
	}
	p.run(0)
}

// A channel whose messages nobody takes stops itself and no other channel.
func TestUnreadChannelStopsItself(t *testing.T) {
	p := newPair(t, nil)
	c, d := p.a.open("stopped"), p.a.open("other")
	var waits *Send
	for range 100 {
		waits = p.a.send(c, text(0, 1000))
	}
	p.settle(0)
	x := p.b.accept("stopped")
	y := p.b.accept("other")
	if !c.Pending() || len(p.a.done) >= 100 {
		t.Fatal("nothing waits for the window")
	}
	if p.a.s.Fits(c, 1) || !p.a.s.Fits(d, 1) {
		t.Error("the waiting messages are wrong")
	}
	if got := x.Buffered(); got > 64<<10 {
		t.Errorf("%d bytes are held, more than the window", got)
	}
	for k := range 1000 {
		p.a.send(d, text(k, 900))
		p.run(0)
		p.b.want(y, "the other", text(k, 900))
	}
	for n := 0; n < 100; n++ {
		p.b.s.Take(x)
		p.run(0)
	}
	if c.Pending() || p.a.done[len(p.a.done)-1] != waits && waits.Err != nil {
		t.Error("the waiting message has not left")
	}
}

// A channel whose messages are taken goes on, however many others are full and however large its messages are.
func TestReadChannelsPassUnreadOnes(t *testing.T) {
	for _, n := range []int{3, 5, 20} {
		for _, size := range []int{10, 100_000} { // size of the messages that are not taken
			p := newPair(t, narrow)
			c := p.a.open("read")
			p.run(0)
			d := p.b.accept("read")
			full := p.unread(n, size)
			for _, size := range []int{0, 10, 1000, 1100, 5000, 300_000} {
				p.talk(c, d, 12, size)
			}
			late := p.a.open("opened later")
			p.run(0)
			p.talk(late, p.b.accept("opened later"), 25, 3000)
			if held, most := p.b.s.Buffered(), 2*64<<10+n<<10+2<<20; held > most {
				t.Errorf("%d channels: %d bytes are held, more than %d", n, held, most)
			}
			for _, c := range full {
				p.a.s.Reset(c, 1)
			}
			p.a.s.Reset(late, 1)
			p.settle(0)
			for _, d := range p.b.announced {
				p.b.s.Discard(d)
			}
		}
	}
}

// Many large messages become complete beside full channels, even if some readers give up.
func TestManyReadersPassUnreadChannels(t *testing.T) {
	p := newPair(t, narrow)
	const n = 30
	var c, d []*Channel
	for k := range n {
		c = append(c, p.a.open(text(k, 6)))
		p.run(0)
		d = append(d, p.b.accept(text(k, 6)))
	}
	p.unread(8, 1000)
	for k := range n {
		p.a.send(c[k], text(k, 50_000))
		p.b.s.Await(d[k], true)
	}
	for range 3 {
		p.run(0)
		for k := range 3 { // theirs are left
			p.b.s.Await(d[k], false)
		}
		for k := 3; k < n; k++ {
			if d[k].Ready() {
				p.b.want(d[k], "large", text(k, 50_000))
				p.b.s.Await(d[k], true)
			}
		}
	}
	for k := 3; k < n; k++ {
		if d[k].Received() != 1 {
			t.Errorf("channel %d: %d messages, %+v", k, d[k].Received(), p.b.s.window)
		}
	}
}

// Many messages that each need a GRANT in a short time are no flood.
func TestGrantsAreNoFlood(t *testing.T) {
	p := newPair(t, narrow)
	c := p.a.open("read")
	p.run(0)
	d := p.b.accept("read")
	p.unread(5, 1000)
	p.a.s.budget.spent, p.a.s.budget.since = budgetBurst-10, p.now // it allows a PING or two
	p.talk(c, d, 100, 1500)
	if p.b.s.stats.Received < 100 || p.b.s.window.credit > 2000 {
		t.Errorf("they needed none: %+v", p.b.s.window)
	}
}

// A Send that waits for the session's window can be cancelled, and fails when its channel is reset.
func TestStarvingSendsEnd(t *testing.T) {
	p := newPair(t, narrow)
	p.unread(5, 1000)
	p.a.send(p.a.open("granted"), text(0, 5000)) // so that no other unread channel is
	p.run(0)
	p.b.accept("granted")
	for k := range 1000 {
		c := p.a.open("x")
		p.run(0)
		waits, second := p.a.send(c, text(k, 2000)), p.a.send(c, "second")
		p.run(0)
		if c.out.starving == 0 {
			t.Fatalf("it does not starve: %+v", c.out)
		}
		switch k % 3 {
		case 0:
			p.a.s.Cancel(c, second)
			p.a.s.Cancel(c, waits)
		case 1:
			p.a.s.Cancel(c, waits)
		}
		if p.a.s.Reset(c, 1); c.out.starving != 0 {
			t.Fatal("it starves without a Send")
		}
		p.settle(0)
		p.b.s.Discard(p.b.accept("x"))
	}
	if l := &p.a.s.starving; l.used != 1 || len(l.places) > 20 {
		t.Errorf("%d of %d places are taken, want the one of a channel that is full", l.used, len(l.places))
	}
}

// All waiting messages are sent when the session's window has room again.
func TestStarvingChannelsAreFed(t *testing.T) {
	p := newPair(t, narrow)
	full := p.unread(6, 1000)
	var hungry []*Channel
	for k := range 100 {
		c := p.a.open(text(k, 6))
		p.a.send(c, text(k, 3000))
		hungry = append(hungry, c)
	}
	p.run(0)
	for _, c := range full {
		p.b.s.Reset(p.b.s.names[c.Name()], 1)
	}
	p.settle(0)
	taken := 0
	for again := true; again; {
		again = false
		for _, d := range p.b.announced {
			if d.Ready() {
				p.b.mem.Put(p.b.s.Take(d))
				taken++
				again = true
			}
		}
		p.settle(0)
	}
	if taken != len(hungry) || p.a.s.waitingSends != 0 {
		t.Errorf("%d of %d have come, %d wait", taken, len(hungry), p.a.s.waitingSends)
	}
	if w := p.b.s.window; w.used != 0 || w.reserved != 0 || w.exempt != 0 || p.b.s.granted != 0 {
		t.Errorf("accounts are not even: %+v", w)
	}
}

// A peer may use its reserve and no more, and none is used with a peer that announces none.
func TestReserveBounds(t *testing.T) {
	p := newPair(t, narrow)
	p.a.open("x")
	p.run(0)
	b := data(nil, 1, muxframe.Fin|muxframe.Reserve, 1024-muxframe.Overhead)
	if _, err := p.b.s.Receive(b, p.now); err != nil {
		t.Fatal(err)
	}
	if p.b.s.Buffered() != 1024 || p.b.s.window.credit != 64<<10 {
		t.Errorf("%+v", p.b.s.window)
	}
	if _, err := p.b.s.Receive(data(nil, 1, muxframe.Fin|muxframe.Reserve, 0), p.now); err == nil || !strings.Contains(err.Error(), "more than the reserve") {
		t.Error(err)
	}

	p = newPair(t, narrow)
	c := p.a.open("x")
	p.run(0)
	if _, err := p.a.s.Receive(muxframe.AppendReserve(nil, c.number, 1000), p.now); err == nil || !strings.Contains(err.Error(), "a reserve that is too large") {
		t.Error(err)
	}

	p = newPair(t, func(c *Config) {
		narrow(c)
		c.Theirs.Reserve = 0
	})
	p.unread(5, 1000)
	c = p.a.open("x")
	if p.a.send(c, text(0, 100)); !c.Pending() || p.a.s.Fits(c, 1) {
		t.Error("a reserve that the peer has not given is used")
	}
}

// Data that used the reserve before the peer knew that the channel is over is allowed; more is a flood.
func TestLateReserve(t *testing.T) {
	p := newPair(t, narrow)
	p.a.open("x")
	p.run(0)
	p.b.s.Reset(p.b.accept("x"), 1)
	piece := data(nil, 1, muxframe.Fin|muxframe.Reserve, 1)
	for range 1024 / (1 + muxframe.Overhead) {
		if _, err := p.b.s.Receive(piece, p.now); err != nil {
			t.Fatal(err)
		}
	}
	if p.b.s.budget.spent != 0 {
		t.Errorf("%d were counted", p.b.s.budget.spent)
	}
	p.b.s.cfg.MaxChannels = 0
	late := data(muxframe.AppendOpen(nil, 3, "refused", nil), 3, muxframe.Fin|muxframe.Reserve, 1000)
	if _, err := p.b.s.Receive(late, p.now); err != nil || p.b.s.budget.spent != 1 {
		t.Errorf("%v, %d were counted, want the OPEN", err, p.b.s.budget.spent)
	}
	var err error
	for n := 0; n < budgetBurst+2 && err == nil; n++ {
		_, err = p.b.s.Receive(piece, p.now)
	}
	if err == nil {
		t.Error("a flood is accepted")
	}
}
