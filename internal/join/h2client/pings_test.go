package h2client_test

import (
	"strings"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// pinged has PINGs answered, and returns their times.
func (r *rig) pinged(p *peer) <-chan int64 {
	times := make(chan int64, 100)
	p.says(func(ping string) bool {
		if strings.HasSuffix(ping, "ack") {
			return false
		}
		times <- r.clock.Now()
		return true
	})
	return times
}

// next advances the clock until a PING comes, and returns when.
func (r *rig) next(times <-chan int64) time.Duration {
	r.t.Helper()
	r.until("a PING", func() bool { return len(times) > 0 })
	return time.Duration(<-times)
}

// A further PING in the same silence waits for PingGap. A part of a message ends a silence, a PING of the server
// does not.
func TestPingGap(t *testing.T) {
	t.Parallel()
	const after, gap = time.Second, 30 * time.Second
	r := newRig(t, h2client.Config{PingInterval: after, PingGap: gap})
	k, p := r.first()
	began := time.Duration(r.clock.Now())
	times := r.pinged(p)
	first := r.next(times)
	if d := first - began; d < after || d >= gap {
		t.Errorf("the first comes after %v", d)
	}
	_ = p.Framer.WritePing(false, [8]byte{})
	second := r.next(times)
	if d := second - first; d < gap {
		t.Errorf("the second comes %v later", d)
	}
	p.Headers(1, false, ":status", "200")
	if err := wiretest.Within(t, "the head", k.awaits(nil)); err != nil {
		t.Fatal(err)
	}
	third := r.next(times)
	if d := third - second; d < after || d >= gap {
		t.Errorf("a PING after a message comes after %v", d)
	}
	if d := r.next(times) - third; d < gap {
		t.Errorf("the next comes %v later", d)
	}
	k.leave()
}

// If a server ends a connection because of its PINGs, the next connections to it send them half as often, and half as
// often again if it does so again. Connections to other servers go on as before, and so do those whose GOAWAY says
// something else.
func TestTooManyPings(t *testing.T) {
	const after = time.Second
	r := newRig(t, h2client.Config{PingInterval: after})
	for _, turn := range []struct {
		least time.Duration
		code  xhttp2.ErrCode
		says  string
	}{
		{after, xhttp2.ErrCodeEnhanceYourCalm, "no_progress"}, {after, xhttp2.ErrCodeNo, "too_many_pings"},
		{after, xhttp2.ErrCodeEnhanceYourCalm, "too_many_pings"}, {2 * after, xhttp2.ErrCodeEnhanceYourCalm, "too_many_pings"},
		{4 * after, xhttp2.ErrCodeNo, ""},
	} {
		k, p := r.first()
		began := time.Duration(r.clock.Now())
		if d := r.next(r.pinged(p)) - began; d < turn.least || d >= 2*turn.least {
			t.Errorf("a PING comes after %v, want %v", d, turn.least)
		}
		_ = p.Framer.WriteGoAway(1, turn.code, []byte(turn.says))
		wiretest.Eventually(t, "the connection to be given up", func() bool { return len(r.Conns()) == 0 })
		k.leave()
	}
	other := key
	other.Host = "another.example"
	k := &call{t: t, started: make(chan error, 1)}
	go func() { k.started <- r.Start(t.Context(), other, &k.Exchange, get{}, false, nil) }()
	p := wiretest.Within(t, "the connection", r.dialed)
	k.begun()
	began := time.Duration(r.clock.Now())
	if d := r.next(r.pinged(p)) - began; d >= 2*after {
		t.Errorf("another server gets a PING after %v", d)
	}
	k.leave()
}
