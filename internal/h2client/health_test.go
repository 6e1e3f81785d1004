package h2client_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// says reads what the client says, pings answered by answer, until the connection ends.
func (p *peer) says(answer func(ping string) bool) <-chan []string {
	said := make(chan []string, 1)
	go func() {
		var all []string
		for {
			got, err := p.next()
			if err != nil {
				said <- all
				return
			}
			all = append(all, got)
			if strings.HasPrefix(got, "PING") && answer(got) {
				_ = p.fr.WritePing(true, [8]byte{7: 1})
			}
		}
	}()
	return said
}

// TestPing: a silent server is asked after a while, as long as there are requests, and is dead if it says nothing in time;
// whatever it says is an answer.
func TestPing(t *testing.T) {
	t.Run("3 s", func(t *testing.T) { testPing(t, 3*time.Second, 3*time.Second) })
	t.Run("default", func(t *testing.T) { testPing(t, 0, 15*time.Second) })
}

func testPing(t *testing.T, set, timeout time.Duration) {
	r := newRig(t, h2client.Config{PingAfter: 10 * time.Second, PingTimeout: set})
	k, p := r.first()
	p.idle()
	waits := k.awaits(nil)
	began := r.clock.Now()
	pings := 0
	said := p.says(func(string) bool { pings++; return pings < 3 })
	r.until("the request to fail", func() bool { return len(waits) > 0 })
	ended := r.clock.Now()
	var ne net.Error
	if err := <-waits; !errors.As(err, &ne) || !ne.Timeout() || !strings.Contains(err.Error(), "ping") || ne.Error() == "" {
		t.Errorf("got %v", err)
	}
	// An answer that comes late makes it longer.
	if d, least := time.Duration(ended-began), 3*10*time.Second+timeout-time.Second; d < least {
		t.Errorf("given up after %v, want %v", d, least)
	}
	if got := within(t, "the end", said); len(got) != 4 || got[3] != "GOAWAY 0 NO_ERROR" {
		t.Errorf("got %q", got)
	}
	if k.leave(); len(r.Conns()) > 0 {
		eventually(t, "the connection to be forgotten", func() bool { return len(r.Conns()) == 0 })
	}
}

// TestNoPing: nobody is asked without requests, nor a server that speaks, nor without PingAfter.
func TestNoPing(t *testing.T) {
	r := newRig(t, h2client.Config{PingAfter: 10 * time.Second})
	k, p := r.first()
	r.passes(30*time.Second, p) // it speaks ten times a second
	k.leave()
	p.want("RST_STREAM 1 CANCEL")
	r.clock.Advance(time.Minute)
	p.idle()
	r = newRig(t, h2client.Config{})
	k, p = r.first()
	r.clock.Advance(time.Hour)
	p.idle()
	k.leave()
}

// TestIdleTimeout: a connection without requests ends after a while; the last of them and who waits count.
func TestIdleTimeout(t *testing.T) {
	r := newRig(t, h2client.Config{IdleTimeout: 10 * time.Second})
	k, p := r.first()
	r.passes(20*time.Second, p)
	k.leave()
	p.want("RST_STREAM 1 CANCEL")
	r.passes(9*time.Second, p)
	if len(r.Conns()) == 0 {
		t.Fatal("it has ended too soon")
	}
	k = r.begin()
	p.want("HEADERS 3" + asked + " END")
	r.passes(9*time.Second, p)
	k.leave()
	p.want("RST_STREAM 3 CANCEL")
	r.passes(9*time.Second, p) // PINGs are no requests
	if len(r.Conns()) == 0 {
		t.Fatal("it has ended too soon")
	}
	r.until("the connection to end", func() bool { return len(r.Conns()) == 0 })
	p.want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
	r.begin().leave() // on another
}

// TestIdleFromTheBeginning: one that never had a request ends, too.
func TestIdleFromTheBeginning(t *testing.T) {
	r := newRig(t, h2client.Config{IdleTimeout: time.Second})
	c, err := r.dial(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	p := <-r.dialed
	r.until("the connection to end", func() bool { return !c.Usable() })
	p.want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
}

// TestCloseIfIdle: a connection with requests stays, one without ends at once.
func TestCloseIfIdle(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	r.CloseIdle()
	p.idle()
	if !k.Conn().Usable() {
		t.Error("a connection with a request is idle")
	}
	p.ok(1, true)
	k.status()
	c := k.Conn()
	k.leave()
	r.CloseIdle()
	p.want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
	if c.Usable() {
		t.Error("it is usable")
	}
	eventually(t, "the pool to forget it", func() bool { return r.Places() == 0 })
	c.CloseIfIdle() // again
}

// TestClose: the last request is waited for.
func TestClose(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	c := k.Conn()
	c.Close()
	p.want("GOAWAY 0 NO_ERROR")
	p.ok(1, true)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.leave()
	r.until("the connection to end", func() bool { return r.eng.Stats().Open == 0 })
	p.wantEOF()
}
