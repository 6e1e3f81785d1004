package muxsession

import "testing"

// Received bytes are acknowledged within 20 ms, even if more bytes arrive all the time.
func TestAckDelay(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	for k := range 5 {
		p.a.send(c, text(k, 10))
		p.a.lend(1<<20, p.now)
		if err := p.deliver(p.a, len(p.a.wire)); err != nil {
			t.Fatal(err)
		}
		if at := p.b.s.Next(); at != 1+ackDelay {
			t.Fatalf("message %d: reported at %d, want %d", k, at, int64(1+ackDelay))
		}
		p.now += ackDelay / 5
	}
	p.b.s.Tick(p.now)
	if !p.b.s.HasOutput() {
		t.Error("it was not reported")
	}
	p.run(0)
	if at := p.b.s.Next(); at != 0 || p.a.s.Kept() != 0 {
		t.Errorf("when everything is reported the next look is at %d, %d bytes are kept", at, p.a.s.Kept())
	}
	if _, err := p.b.s.Receive(nil, p.now); err != nil || p.b.s.Next() != 0 {
		t.Errorf("nothing has come, and is reported at %d", p.b.s.Next())
	}
}

// The count that a peer reports after the session was closed is used only if it is possible.
func TestToldAtTheEnd(t *testing.T) {
	p := newPair(t, nil)
	c := p.a.open("x")
	p.a.send(c, "one")
	p.a.lend(1<<20, p.now)
	sent := uint64(len(p.a.wire))
	p.a.send(c, "not sent")
	for _, tc := range []struct{ told, acked uint64 }{{sent + 1, 0}, {1 << 62, 0}, {sent - 1, 0}, {sent, 1}, {0, 1}} {
		if p.a.s.PeerReceived(tc.told); c.Acked() != tc.acked {
			t.Errorf("reported %d of %d: %d acknowledged, want %d", tc.told, sent, c.Acked(), tc.acked)
		}
	}
}

// The Watcher is told of exactly those channels that have newly acknowledged messages.
func TestWhoIsAcknowledged(t *testing.T) {
	p := newPair(t, nil)
	c, d := p.a.open("x"), p.a.open("y")
	p.a.open("z")
	p.settle(0)
	if p.a.acked != 0 {
		t.Errorf("%d channels are reported, and nothing was sent", p.a.acked)
	}
	for k := range 3 {
		p.a.send(c, text(k, 10))
	}
	p.a.send(d, "one")
	p.settle(0)
	if p.a.acked != 2 || c.Acked() != 3 || d.Acked() != 1 {
		t.Errorf("%d channels are reported; %d and %d messages are acknowledged", p.a.acked, c.Acked(), d.Acked())
	}
}
