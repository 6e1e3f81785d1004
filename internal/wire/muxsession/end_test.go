package muxsession

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// A side that has already ended its half can still say that it receives nothing more.
func TestStopBehindAnEnd(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.s.End(c, SendClosed)
	p.run(0)
	d := p.b.accept("x")
	p.b.send(d, text(0, 500_000))
	waits := p.b.send(d, text(1, 500_000))
	p.run(0)
	p.a.s.End(c, Stopped)
	p.settle(0)
	if !d.PeerStopped() || waits.Err != ErrPeerStopped || !c.Over() || !d.Over() {
		t.Errorf("deaf %v, %v, over %v and %v", d.PeerStopped(), waits.Err, c.Over(), d.Over())
	}
}

// GOAWAY follows the END of a channel, which follows the waiting messages.
func TestGoAwayBehindAnEnd(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, text(0, 200_000))
	p.a.s.End(c, SendClosed)
	p.a.s.GoAway()
	for range 5 {
		p.settle(0)
		for d := p.b.announced[0]; d.Ready(); {
			p.b.mem.Put(p.b.s.Take(d))
		}
	}
	if d := p.b.announced[0]; !d.Ended() || d.Received() != 1 || !p.a.s.Done() || !p.b.s.Done() {
		t.Errorf("ended %v, received %d, done %v and %v", d.Ended(), d.Received(), p.a.s.Done(), p.b.s.Done())
	}
}

// A terminated session releases all memory except messages that can still be taken, and fails the waiting Sends.
func TestLeave(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.open("nothing was sent")
	p.run(0)
	d := p.b.accept("x")
	p.b.send(d, "taken afterwards")
	p.run(0)
	p.a.send(c, "not acknowledged")
	waits := p.a.send(c, text(0, 300_000))
	p.a.lend(20_000, p.now)
	if err := p.deliver(p.a, 5000); err != nil {
		t.Fatal(err)
	}
	unacked := map[string]uint64{}
	p.a.s.Unacked(func(name string, n uint64) { unacked[name] += n })
	if len(unacked) != 1 || unacked["x"] != 1 {
		t.Errorf("not acknowledged: %v", unacked)
	}
	for _, e := range []*end{p.a, p.b} {
		e.s.Detach()
		e.s.Terminate(ErrGone)
		e.s.Terminate(ErrReset) // the first counts
	}
	if waits.Err != ErrGone || !p.a.s.Ended() || !c.Over() || len(p.a.over) != 2 {
		t.Errorf("the waiting Send got %v", waits.Err)
	}
	p.b.want(d, "it has come", "not acknowledged")
	p.a.want(c, "it has come", "taken afterwards")
	if p.a.s.out.chunks != nil || p.b.mem.held != 0 {
		t.Errorf("%d bytes are held", p.b.mem.held)
	}
}

// Open fails when all channel numbers are in use.
func TestNumbersAreUsedUp(t *testing.T) {
	p := newPair(t, func(c *Config) { c.LastNumber = 5 })
	for k := range 3 {
		p.a.open(text(k, 2))
	}
	if p.a.s.Open(&Channel{}, "one more", nil, false) || p.a.s.Channels() != 3 {
		t.Error("a fourth has a number")
	}
	p.settle(0)
}

// A cancelled Send keeps no reference to the Sends that were behind it.
func TestCanceledSendIsUsedAgain(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, text(0, 300_000))
	second, _ := p.a.send(c, "second"), p.a.send(c, "third")
	if !p.a.s.Cancel(c, second) || p.a.s.Cancel(c, second) {
		t.Fatal("it is cancelled once")
	}
	if p.a.s.Send(c, second) {
		t.Fatal("it does not wait")
	}
	p.settle(0)
	d := p.b.accept("x")
	p.b.mem.Put(p.b.s.Take(d))
	p.settle(0)
	p.b.want(d, "in order", "third", "second")
}

// Data received with a GRANT no longer counts when its channel is over, whichever side ended it.
func TestGrantOfAChannelThatIsOver(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 16<<10, 16<<10
		}
	})
	c := p.a.open("x")
	p.a.send(c, text(0, 200_000))
	for p.b.s.granted == 0 { // until the window is full
		p.a.lend(1<<20, p.now)
		if err := p.deliver(p.a, len(p.a.wire)); err != nil {
			t.Fatal(err)
		}
	}
	p.b.lend(1<<20, p.now)
	if err := p.deliver(p.b, len(p.b.wire)); err != nil {
		t.Fatal(err)
	}
	for p.a.lend(1<<20, p.now) {
	}
	p.b.s.Reset(p.b.accept("x"), 1)
	p.settle(0)
	if w := p.b.s.window; w.used != 0 || w.exempt != 0 || w.credit != p.a.s.credit || p.b.s.granted != 0 || p.b.s.partials != 0 {
		t.Errorf("accounts are not even: %+v, the peer has %d", w, p.a.s.credit)
	}
}

// A GRANT covers the missing rest of a message, including the overhead of each of its frames.
func TestGrants(t *testing.T) {
	for _, tc := range []struct{ limit, least, most int }{
		{1 << 20, 1<<20 - 16<<10, 1<<20 + 16<<10}, {muxframe.MaxCredit, muxframe.MaxCredit - 16<<10, muxframe.MaxCredit},
		{0, muxframe.MaxCredit, muxframe.MaxCredit},
	} {
		p := newPair(t, func(c *Config) {
			for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
				l.Session, l.Window, l.MaxMessage = 16<<10, 16<<10, uint32(tc.limit)
			}
		})
		p.a.send(p.a.open("x"), text(0, 200_000))
		for p.b.s.granted == 0 {
			p.a.lend(1<<20, p.now)
			if err := p.deliver(p.a, len(p.a.wire)); err != nil {
				t.Fatal(err)
			}
		}
		if n := int(p.b.s.granted); n < tc.least || n > tc.most {
			t.Errorf("a limit of %d: %d were granted, want %d to %d", tc.limit, n, tc.least, tc.most)
		}
		p.settle(0)
		p.b.want(p.b.accept("x"), "it comes whole", text(0, 200_000))
	}
}

// Stopping a channel drops its unread messages, and their credit can be used by other channels.
func TestStoppedTakesNothing(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Ours.Session, c.Theirs.Session = 64<<10, 64<<10 })
	c, other := p.a.open("x"), p.a.open("y")
	for k := range 12 {
		p.a.send(c, text(k, 5000))
	}
	p.settle(0)
	p.a.send(other, "whole") // so that the message behind it gets no GRANT
	waits := p.a.send(other, text(0, 9000))
	p.settle(0)
	d := p.b.accept("x")
	if !other.Pending() || d.Buffered() < 60_000 {
		t.Fatal("the session's window is not full")
	}
	p.b.s.End(d, Stopped)
	p.settle(0)
	if d.Buffered() != 0 || d.Ready() || waits.Err != nil || other.Pending() {
		t.Errorf("%d bytes are held, what waits: %v", d.Buffered(), waits.Err)
	}
	p.b.want(p.b.accept("y"), "there is room", "whole", text(0, 9000))
	if w := p.b.s.window; w.used != 0 || p.b.mem.held > 20_000 {
		t.Errorf("%+v, %d bytes of memory", w, p.b.mem.held)
	}
	p.settle(0)
	p.b.s.End(d, Stopped)
	p.b.s.End(d, SendClosed)
	p.b.s.Reset(d, 1)
	if p.b.s.HasOutput() || !d.Over() || d.WasReset() != nil {
		t.Error("a channel that is over ends again")
	}
}

// Attach refuses a count that is lower than what was acknowledged or higher than what was sent.
func TestResumedFromWhereItCannotBe(t *testing.T) {
	p := newPair(t, nil)
	p.a.send(p.a.open("x"), text(0, 1000))
	p.settle(0)
	acked := p.b.s.Received()
	p.a.send(p.a.s.Named("x"), text(1, 1000))
	p.a.lend(1<<20, p.now)
	sent := acked + uint64(len(p.a.wire))
	p.a.send(p.a.s.Named("x"), "not sent")
	p.cut()
	for _, n := range []uint64{0, acked - 1, sent + 1, 1 << 63} {
		if p.a.s.Attach(n, p.now) || p.a.s.Connected() {
			t.Errorf("%d is taken, of %d to %d", n, acked, sent)
		}
	}
	for _, n := range []uint64{acked, sent} {
		if !p.a.s.Attach(n, p.now) {
			t.Errorf("%d is not taken, of %d to %d", n, acked, sent)
		}
		p.a.s.Detach()
	}
}

// Unread messages of a channel that is over count in the session's window until they are dropped.
func TestChannelOverGivesItsRoomBack(t *testing.T) {
	for _, drops := range []bool{true, false} {
		p := newPair(t, func(c *Config) { c.Ours.Session, c.Theirs.Session = 64<<10, 64<<10 })
		p.b.drops = drops
		c := p.a.open("x")
		for k := range 12 {
			p.a.send(c, text(k, 5000))
		}
		p.a.s.End(c, SendClosed)
		p.settle(0)
		d := p.b.accept("x")
		p.b.s.End(d, SendClosed)
		p.settle(0)
		if !d.Over() || d.Ready() == drops {
			t.Fatalf("over %v, there are messages %v", d.Over(), d.Ready())
		}
		if !drops {
			if p.a.s.credit > 8000 {
				t.Fatal("what is not taken does not count")
			}
			p.b.s.Discard(d)
		}
		p.settle(0)
		if w := p.b.s.window; p.a.s.credit != 64<<10 || w.used != 0 || w.credit != 64<<10 || p.b.mem.held > 4096 {
			t.Errorf("the peer has %d, %+v, %d bytes of memory", p.a.s.credit, w, p.b.mem.held)
		}
	}
}

// Closing a channel while the session closes breaks no rule, whichever side closes which.
func TestEndBehindGoAway(t *testing.T) {
	for name, closes := range map[string]func(p *pair, c, d *Channel){
		"ended":                     func(p *pair, c, d *Channel) { p.a.s.End(c, SendClosed) },
		"closed":                    func(p *pair, c, d *Channel) { p.a.s.End(c, Stopped) },
		"closed by the peer":        func(p *pair, c, d *Channel) { p.b.s.End(d, Stopped) },
		"closed after it was ended": func(p *pair, c, d *Channel) { p.a.s.End(c, SendClosed); p.a.s.End(c, Stopped) },
	} {
		p := newPair(t, nil)
		c := p.a.open("x")
		p.a.send(c, "hello")
		p.run(0)
		d := p.b.accept("x")
		p.a.s.GoAway()
		closes(p, c, d)
		for _, e := range []*end{p.a, p.b, p.a, p.b} {
			for e.lend(1<<20, p.now) {
			}
			if err := p.deliver(e, len(e.wire)); err != nil {
				t.Fatalf("%s: what the %s has sent: %v", name, e.name, err)
			}
		}
		p.settle(0)
		if !p.a.s.Done() || !p.b.s.Done() {
			t.Errorf("%s: done %v and %v", name, p.a.s.Done(), p.b.s.Done())
		}
	}
}

// The received part of a message no longer counts when the peer resets the channel.
func TestResetGivesTheWindowBack(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 16<<10, 16<<10
		}
	})
	c, other := p.a.open("x"), p.a.open("y")
	p.a.send(c, text(0, 100_000))
	for p.a.lend(1<<20, p.now) {
	}
	p.a.send(other, text(1, 10_000))
	if err := p.deliver(p.a, len(p.a.wire)); err != nil {
		t.Fatal(err)
	}
	p.a.s.Reset(c, 1)
	p.settle(0)
	if w := p.b.s.window; other.Pending() || w.credit+w.used != p.b.s.windowSize() {
		t.Errorf("the waiting message has not left: %+v", w)
	}
	p.b.accept("x")
	p.b.want(p.b.accept("y"), "the other", text(1, 10_000))
}

// When a Send is cancelled, the next message is sent at once if the window has room for it.
func TestCancelLetsTheNextGo(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, text(0, 63_000))
	p.settle(0)
	large := p.a.send(c, text(1, 100_000))
	small := p.a.send(c, "small")
	if large.off > 0 {
		t.Fatal("a part of the message has left")
	}
	p.settle(0)
	p.a.s.Cancel(c, large)
	if c.Pending() || !p.a.s.HasOutput() || small.off == 0 {
		t.Error("what was behind it waits")
	}
}

// Reset drops the unread messages of a channel that is already over, so that they do not fill the window.
func TestResetOfWhatIsOver(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, "word")
	p.run(0)
	d := p.b.accept("x")
	p.a.s.Reset(c, 1)
	p.run(0)
	if !d.Over() || d.Buffered() == 0 {
		t.Fatalf("over: %v, %d bytes wait", d.Over(), d.Buffered())
	}
	p.b.s.Reset(d, 2)
	if d.Ready() || d.Buffered() != 0 || d.WasReset().Code != 1 {
		t.Errorf("ready: %v, %d bytes wait, reset with %d", d.Ready(), d.Buffered(), d.WasReset().Code)
	}
}

// Frames that were on their way in a channel when it was reset do not count as a flood.
func TestResetOfManySmall(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Window = 256 << 10
		}
	})
	c := p.a.open("x")
	p.run(0)
	d := p.b.accept("x")
	for range 29_000 {
		p.a.send(c, "x")
	}
	p.b.s.Reset(d, 1)
	p.settle(0)
}

// A session that breaks after both sides have sent GOAWAY still ends on both sides after it is resumed.
func TestResumedBehindTheEnd(t *testing.T) {
	p := newPair(t, nil)
	p.a.s.GoAway()
	p.a.lend(1000, p.now)
	if err := p.deliver(p.a, len(p.a.wire)); err != nil {
		t.Fatal(err)
	}
	p.b.s.GoAway()
	p.a.s.Receive(muxframe.AppendGoaway(nil, 0), p.now)
	p.b.lend(1000, p.now)
	p.cut()
	p.connect()
	if p.a.s.Done() && p.b.s.Done() && !p.a.s.HasOutput() && !p.b.s.HasOutput() {
		t.Error("both sides are done, and neither sends")
	}
}

// A channel that is reset by one side while the other opens it leaves nothing behind on either side.
func TestResetCrossesOpen(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before func(p *pair, x, y *Channel)
	}{
		{"the listener has not ended", func(*pair, *Channel, *Channel) {}},
		{"the listener has ended", func(p *pair, _, y *Channel) { p.b.s.End(y, SendClosed) }},
		{"the dialler has stopped", func(p *pair, x, _ *Channel) { p.a.s.End(x, Stopped) }},
		{"both have ended", func(p *pair, x, y *Channel) {
			p.a.s.End(x, SendClosed)
			p.b.s.End(y, SendClosed)
		}},
	} {
		for _, again := range []string{"the dialler", "the listener"} {
			t.Run(tc.name+", "+again+" opens again", func(t *testing.T) {
				p := newPair(t, nil)
				x, y := p.a.open("x"), p.b.open("x")
				tc.before(p, x, y)
				p.a.lend(1<<20, p.now)
				if err := p.deliver(p.a, len(p.a.wire)); err != nil {
					t.Fatal(err)
				}
				p.a.s.Reset(x, 1)
				p.settle(0)
				if !x.Over() || !y.Over() || p.a.s.Channels() != 0 || p.b.s.Channels() != 0 {
					t.Fatalf("%d channels of the dialler and %d of the listener are left", p.a.s.Channels(), p.b.s.Channels())
				}
				from, to := p.a, p.b
				if again == "the listener" {
					from, to = p.b, p.a
				}
				to.announced = nil
				z := from.open("x")
				from.send(z, "hello")
				p.settle(0)
				there := to.accept("x")
				to.send(there, "hi")
				p.settle(0)
				to.want(there, "a new channel", "hello")
				from.want(z, "a new channel", "hi")
			})
		}
	}
}
