package muxsession

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// A conversation in both directions arrives whole, however its bytes are cut.
func TestConversationCutIntoPieces(t *testing.T) {
	for _, step := range []int{0, 1, 2, 3, 7, 100} {
		p := newPair(t, nil)
		c := p.a.open("x")
		p.a.send(c, "hello")
		p.a.send(c, "")
		p.a.send(c, text(1, 3000))
		p.run(step)
		d := p.b.accept("x")
		p.b.want(d, "first", "hello", "", text(1, 3000))
		p.b.send(d, "answer")
		p.b.s.End(d, SendClosed)
		p.a.s.End(c, SendClosed)
		p.settle(step)
		p.a.want(c, "answer", "answer")
		if !c.Over() || !d.Over() || c.Acked() != 3 || d.Acked() != 1 {
			t.Errorf("over: %v, %v; acknowledged: %d, %d", c.Over(), d.Over(), c.Acked(), d.Acked())
		}
		for _, e := range []*end{p.a, p.b} {
			if e.s.Kept() > 0 || e.s.Buffered() > 0 || e.s.Channels() > 0 || len(e.s.outgoing) > 0 || len(e.s.numbers) > 0 {
				t.Errorf("the %s keeps %d bytes, %d, %d channels", e.name, e.s.Kept(), e.s.Buffered(), e.s.Channels())
			}
			e.lend(0, p.now)
			e.s.Trim()
			if e.mem.held != 0 {
				t.Errorf("the %s holds %d bytes of memory", e.name, e.mem.held)
			}
		}
	}
}

// Every message arrives exactly once when the connection breaks after each byte.
func TestCutAtEveryByte(t *testing.T) {
	for at := 0; ; at++ {
		p := newPair(t, nil)
		c := p.a.open("first")
		p.a.send(c, text(0, 300))
		d := p.a.open("second")
		p.a.send(d, "small")
		p.a.send(c, text(1, 10))
		p.a.s.End(d, SendClosed)
		for p.a.lend(1<<20, p.now) {
		}
		if at > len(p.a.wire) {
			return
		}
		if err := p.deliver(p.a, at); err != nil {
			t.Fatal(err)
		}
		p.cut()
		p.connect()
		p.settle(0)
		p.b.want(p.b.accept("first"), "first", text(0, 300), text(1, 10))
		x := p.b.accept("second")
		p.b.want(x, "second", "small")
		if !x.Ended() || c.Acked() != 2 || d.Acked() != 1 || p.a.s.Kept() != 0 {
			t.Fatalf("cut at %d: ended %v, acknowledged %d and %d, %d kept", at, x.Ended(), c.Acked(), d.Acked(), p.a.s.Kept())
		}
	}
}

// A name that both sides open at the same time is one channel.
func TestOneChannelOfTwoOpens(t *testing.T) {
	p := newPair(t, nil)
	c, d := p.a.open("x"), p.b.open("x")
	p.a.send(c, "from a")
	p.b.send(d, "from b")
	p.settle(0)
	p.a.want(c, "merged", "from b")
	p.b.want(d, "merged", "from a")
	if len(p.a.announced)+len(p.b.announced) > 0 {
		t.Error("a channel was announced that both have opened")
	}
	p.a.send(c, "again")
	p.a.s.End(c, SendClosed)
	p.b.s.End(d, SendClosed)
	p.settle(0)
	p.b.want(d, "merged", "again")
	if !c.Over() || !d.Over() {
		t.Error("not over")
	}
	p.b.open("x")
	p.settle(0)
	p.a.accept("x")
}

// A message larger than the window arrives in pieces.
func TestMessageLargerThanWindow(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Ours.Window, c.Theirs.Window = 2000, 2000 })
	c := p.a.open("x")
	p.a.send(c, text(0, 1<<20))
	p.a.send(c, text(1, 100_000))
	p.settle(0)
	d := p.b.accept("x")
	if d.Received() != 1 {
		t.Fatalf("%d messages before the first is taken, want 1", d.Received())
	}
	b := p.b.s.Take(d)
	if string(b) != text(0, 1<<20) {
		t.Fatal("not what was sent")
	}
	p.settle(0)
	p.b.want(d, "second", text(1, 100_000))
}

// All messages arrive whole although so many have begun that the session's window is full.
func TestPartialMessagesDoNotLock(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 256<<10, 64<<10
		}
	})
	const n = 16
	for k := range n {
		p.a.send(p.a.open(text(k, 5)), text(k, 200_000))
	}
	held := 0
	for got := 0; got < n; {
		p.settle(0)
		held = max(held, p.b.s.Buffered())
		before := got
		for _, d := range p.b.announced {
			for d.Ready() {
				b := p.b.s.Take(d)
				if len(b) != 200_000 || !strings.HasPrefix(d.Name(), string(b[:2])) {
					t.Fatalf("%q in %q", b[:5], d.Name())
				}
				got++
			}
		}
		if before == got {
			t.Fatalf("locked after %d messages: window %+v", got, p.b.s.window)
		}
	}
	if held > 256<<10+1<<20 {
		t.Errorf("%d bytes were held", held)
	}
	p.settle(0)
	if w := p.b.s.window; w.used != 0 || w.exempt != 0 {
		t.Errorf("accounts are not even: %+v", w)
	}
}

// A small message waits for at most a few pieces of large ones.
func TestSmallMessagePassesLargeOnes(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 64<<20, 4<<20
		}
	})
	for k := range 20 {
		p.a.send(p.a.open(text(k, 5)), text(k, 1<<20))
	}
	c := p.a.open("small")
	p.a.send(c, "now")
	ahead := 0
	for c.Sent() == 0 {
		if !p.a.lend(64<<10, p.now) {
			t.Fatal("nothing is sent")
		}
		ahead = len(p.a.wire)
	}
	ahead += p.a.s.out.unsent()
	if ahead > backlog+2*maxChunk {
		t.Errorf("%d bytes are before the small message", ahead)
	}
	p.settle(0)
}

// The messages of an urgent channel are sent before those of a background channel.
func TestPriorities(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 64<<20, 4<<20
		}
	})
	slow, fast := p.a.open("slow"), p.a.open("fast")
	slow.SetClass(Background)
	fast.SetClass(Urgent)
	for k := range 40 {
		p.a.send(slow, text(k, 60_000))
	}
	for k := range 40 {
		p.a.send(fast, text(k, 60_000))
	}
	for fast.Sent() < 40 {
		p.a.lend(64<<10, p.now)
	}
	if n := slow.Sent(); n < 3 || n > 12 {
		t.Errorf("%d messages of the lower class left before those of the higher", n)
	}
	p.settle(0)
}

// A cancelled message is not delivered, even if a part of it was already sent.
func TestCancel(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	first, second, third := p.a.send(c, text(0, 500_000)), p.a.send(c, text(1, 10)), p.a.send(c, "third")
	for p.a.lend(1<<20, p.now) {
	}
	if !p.a.s.Cancel(c, second) || !p.a.s.Cancel(c, first) {
		t.Fatal("done already")
	}
	p.settle(0)
	d := p.b.accept("x")
	p.b.want(d, "the message that was not cancelled", "third")
	if p.a.s.Cancel(c, third) || c.Acked() != 1 || c.Sent() != 1 {
		t.Errorf("acknowledged %d of %d", c.Acked(), c.Sent())
	}
	if w := p.b.s.window; w.used != 0 {
		t.Errorf("accounts are not even: %+v", w)
	}
}

// A reset drops messages that are not complete, fails the waiting Sends, and returns all windows.
func TestReset(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, "kept")
	waits := p.a.send(c, text(0, 500_000))
	p.run(0)
	d := p.b.accept("x")
	p.b.send(d, "dropped")
	if p.a.s.Reset(c, 7); waits.Err != ErrReset || len(p.a.done) != 2 {
		t.Errorf("the waiting Send got %v", waits.Err)
	}
	p.settle(0)
	if r := d.WasReset(); r == nil || r.Code != 7 || !r.Peer || !d.Over() || !c.Over() {
		t.Fatalf("reset: %+v", d.WasReset())
	}
	p.b.want(d, "what came whole", "kept")
	if w := p.a.s.window; w.used != 0 || p.b.s.window.used != 0 {
		t.Error("accounts are not even")
	}
	again := p.a.open("x")
	p.a.send(again, "new")
	p.settle(0)
	p.b.want(p.b.accept("x"), "the name is free", "new")
}

// A side that stops receiving makes the peer end its half.
func TestStop(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.run(0)
	d := p.b.accept("x")
	big := p.b.send(d, text(0, 500_000))
	p.b.lend(1<<20, p.now)
	p.a.send(c, "last")
	p.a.s.End(c, Stopped)
	p.settle(0)
	p.b.want(d, "what was sent before", "last")
	if !d.PeerStopped() || big.Err != ErrPeerStopped || !c.Over() || !d.Over() || p.a.s.window.used != 0 {
		t.Errorf("deaf %v, %v, over %v %v, %+v", d.PeerStopped(), big.Err, c.Over(), d.Over(), p.a.s.window)
	}
}

// A channel beyond MaxChannels is reset with CodeTooMany; the others are not affected.
func TestTooManyChannels(t *testing.T) {
	p := newPair(t, func(c *Config) { c.MaxChannels = 2 })
	var all []*Channel
	for k := range 3 {
		c := p.a.open(text(k, 3))
		p.a.send(c, "hello")
		all = append(all, c)
	}
	p.settle(0)
	if r := all[2].WasReset(); r == nil || r.Code != muxframe.CodeTooMany || all[0].WasReset() != nil {
		t.Errorf("the third: %+v", r)
	}
	if len(p.b.announced) != 2 || p.b.s.window.used != 2*(5+muxframe.Overhead) {
		t.Errorf("%d announced, %+v", len(p.b.announced), p.b.s.window)
	}
}

// Channel numbers are reused, and never while they are in use.
func TestNumbersGoRound(t *testing.T) {
	p := newPair(t, func(c *Config) { c.LastNumber = 21 })
	stays := p.a.open("stays")
	p.run(0)
	there := p.b.accept("stays")
	for k := range 100 {
		c := p.a.open("x")
		p.a.send(c, text(k, 20))
		p.run(0)
		d := p.b.accept("x")
		p.b.want(d, "each", text(k, 20))
		p.b.s.End(d, SendClosed)
		p.a.s.End(c, SendClosed)
		p.a.send(stays, "s")
		p.settle(0)
		p.b.want(there, "beside", "s")
	}
}

// After GOAWAY waiting messages of this side are still sent, those of the peer fail, and both sides are done.
func TestGoAway(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.run(0)
	d := p.b.accept("x")
	waits := p.a.send(c, text(0, 300_000))
	p.b.send(d, "before")
	blocked := p.b.send(d, text(1, 300_000))
	p.a.s.GoAway()
	p.settle(0)
	if waits.Err != nil || blocked.Err != ErrGone {
		t.Errorf("%v, %v", waits.Err, blocked.Err)
	}
	p.b.want(d, "before", text(0, 300_000))
	p.a.want(c, "before", "before")
	p.settle(0)
	if !p.a.s.Done() || !p.b.s.Done() {
		t.Error("not done")
	}
}

// Sends wait when too much is not acknowledged.
func TestKeptIsBounded(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Kept = 50_000 })
	p.cut()
	c := p.a.open("x")
	var last *Send
	for k := range 100 {
		last = p.a.send(c, text(k, 1000))
	}
	if n := p.a.s.Kept(); n < 50_000 || n > 52_000 || !c.Pending() {
		t.Errorf("%d bytes are kept", n)
	}
	p.connect()
	for range 10 {
		p.settle(0)
		for d := p.b.announced[0]; d.Ready(); {
			p.b.s.Take(d)
		}
	}
	if c.Acked() != 100 || last.Err != nil {
		t.Errorf("%d acknowledged", c.Acked())
	}
}

// A round trip is measured by the exact time: the one that is passed to the methods may be late.
func TestRoundTripIsExact(t *testing.T) {
	p := newPair(t, nil)
	late := p.now
	p.a.s.Ping()
	p.now += 3
	p.a.lend(1000, late)
	p.b.unread, p.a.wire = p.a.wire, nil
	p.now += 7
	if _, err := p.b.s.Receive(p.b.unread, late); err != nil {
		t.Fatal(err)
	}
	p.b.unread = nil
	p.b.lend(1000, late)
	if _, err := p.a.s.Receive(p.b.wire, late); err != nil {
		t.Fatal(err)
	}
	p.b.wire = nil
	if p.a.s.Pinging() || p.a.s.RTT() != 7 {
		t.Fatalf("measured: %d", p.a.s.RTT())
	}
}

// A PING measures the round trip and shows when the peer was last heard.
func TestPing(t *testing.T) {
	p := newPair(t, nil)
	if p.a.s.Ping(); !p.a.s.Pinging() || !p.a.s.PingDue() {
		t.Fatal("the peer is not asked")
	}
	p.a.lend(1000, p.now)
	p.now += 5
	if p.run(0); p.a.s.Pinging() || p.a.s.RTT() != 5 || p.a.s.LastHeard() != p.now {
		t.Fatalf("not answered: %d", p.a.s.RTT())
	}
}

// Nothing more is sent once both sides know everything.
func TestNoAckForAnAck(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, "x")
	p.settle(0)
	p.b.want(p.b.accept("x"), "one", "x")
	p.settle(0)
	for range 10 {
		p.now += 10 * ackDelay
		p.a.s.Tick(p.now)
		p.b.s.Tick(p.now)
		if p.a.s.HasOutput() || p.b.s.HasOutput() {
			t.Fatal("there is more to be sent")
		}
	}
}

// The window grows for a channel whose messages are taken as fast as they come, if it slows down the peer.
func TestWindowsGrow(t *testing.T) {
	for name, tc := range map[string]struct {
		rtt, pause int64 // there and back, and between two messages
		want       int   // the window in the end
	}{
		"the line is long":          {100e6, 1e6, 128 << 10},
		"the line is short":         {1e6, 1e6, 64 << 10},
		"little is sent":            {100e6, 30e6, 64 << 10},
		"how long it is is unknown": {0, 1e6, 64 << 10},
	} {
		p := newPair(t, nil)
		c := p.a.open("x")
		p.run(0)
		d := p.b.accept("x")
		p.now = 1e12
		for k := range 300 {
			p.a.send(c, text(k, 4000))
			p.run(0)
			p.now += tc.pause
			p.b.s.link.rtt = tc.rtt
			p.b.mem.Put(p.b.s.Take(d))
		}
		if d.Window() != tc.want { // an eighth of the session's, at most
			t.Errorf("%s: the window is %d, want %d", name, d.Window(), tc.want)
		}
		p.b.s.End(d, SendClosed)
		p.a.s.End(c, SendClosed)
		p.settle(0)
		if d.Window() != 64<<10 || p.b.s.extra != 0 {
			t.Errorf("%s: behind the end it is %d, %d more in all", name, d.Window(), p.b.s.extra)
		}
	}
}

// No sent message is referred to after it was acknowledged.
func TestNothingIsHeld(t *testing.T) {
	p := newPair(t, nil)
	var all []*Channel
	for k := range 30 {
		c := p.a.open(text(k, 5))
		p.a.send(c, text(k, 50_000))
		p.a.s.End(c, SendClosed)
		all = append(all, c)
	}
	for range 10 {
		p.settle(0)
		for _, d := range p.b.announced {
			for d.Ready() {
				p.b.mem.Put(p.b.s.Take(d))
			}
			p.b.s.End(d, SendClosed)
		}
	}
	p.a.s.Trim()
	for _, c := range all {
		if !c.Over() || c.next != nil || c.out.first != nil {
			t.Fatalf("%q: over %v, leads to %v", c.Name(), c.Over(), c.next)
		}
	}
	o := &p.a.s.out
	for _, k := range o.chunks[:cap(o.chunks)] {
		if k.b != nil {
			t.Fatal("a chunk is held")
		}
	}
	if p.a.s.channels != &noChannels {
		t.Error("a channel is held, or where they were")
	}
	p.a.open("again")
	p.settle(0)
}

// A program may reset all its channels at once if they were used.
func TestManyResets(t *testing.T) {
	const n = 2 * budgetBurst
	p := newPair(t, func(c *Config) { c.MaxChannels = n })
	p.b.drops = true
	all := make([]*Channel, n)
	for k := range all {
		all[k] = p.a.open(text(k, 6))
		p.a.send(all[k], "x")
	}
	p.run(0)
	for _, c := range all {
		p.a.s.Reset(c, 1)
	}
	p.run(0)
	if p.b.s.Channels() != 0 {
		t.Errorf("%d channels are left", p.b.s.Channels())
	}
}

// Both sides may reset all their channels at the same time; a peer that resets more than that is refused.
func TestBothResetMany(t *testing.T) {
	const n = budgetBurst + 1
	p := newPair(t, func(c *Config) { c.MaxChannels = n })
	p.a.drops, p.b.drops = true, true
	for k := range n {
		p.a.send(p.a.open(text(k, 6)), "x")
	}
	p.run(0)
	for _, e := range []*end{p.a, p.b} {
		var all []*Channel
		e.s.Each(func(c *Channel) { all = append(all, c) })
		for _, c := range all {
			e.s.Reset(c, 1)
		}
	}
	p.run(0)
	if p.a.s.Channels() != 0 || p.b.s.Channels() != 0 {
		t.Errorf("%d and %d channels are left", p.a.s.Channels(), p.b.s.Channels())
	}
	var err error
	for range lateFrames*n + budgetBurst + 1 {
		_, err = p.b.s.Receive(muxframe.AppendReset(nil, 1, 1), p.now)
	}
	if err == nil {
		t.Error("a flood of RESETs is accepted")
	}
}

// The RESETs that answer for the other number of shared channels are no flood.
func TestManyResetsOfSharedChannels(t *testing.T) {
	const n = budgetBurst + 1
	p := newPair(t, func(c *Config) { c.MaxChannels = n })
	p.a.drops, p.b.drops = true, true
	all := make([]*Channel, n)
	for k := range all {
		all[k] = p.a.open(text(k, 6))
		p.b.open(text(k, 6))
		p.a.send(all[k], "x")
	}
	p.run(0)
	for _, c := range all {
		p.a.s.Reset(c, 1)
	}
	p.run(0)
	if p.a.s.Channels() != 0 || p.b.s.Channels() != 0 {
		t.Errorf("%d and %d channels are left", p.a.s.Channels(), p.b.s.Channels())
	}
}

// Trim keeps the state of channels whose frames are not acknowledged.
func TestTrimWithUnackedFrames(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.s.Reset(c, 1)
	if p.a.s.Trim(); p.a.s.opens == 0 {
		t.Error("its OPEN is in the outbox, and not counted")
	}
	p.settle(0)
	if p.a.s.opens != 0 {
		t.Errorf("%d bytes of OPEN frames are counted", p.a.s.opens)
	}
	if p.a.s.Trim(); p.a.s.channels != &noChannels {
		t.Error("there are no channels, and memory for some")
	}
}
