package h2client_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// says reads what the client sends until the connection ends, and answers PINGs with answer.
func (p *peer) says(answer func(ping string) bool) <-chan []string {
	said := make(chan []string, 1)
	answers := http2.NewFramer(p.Conn, nil) // the test writes with the other one meanwhile
	go func() {
		var all []string
		for {
			got, err := p.Next()
			if err != nil {
				said <- all
				return
			}
			all = append(all, got)
			if strings.HasPrefix(got, "PING") && answer(got) {
				_ = answers.WritePing(true, [8]byte{7: 1})
			}
		}
	}()
	return said
}

// A silent server is sent a PING while there are requests, and the connection ends if it sends nothing in time.
// Any frame is an answer.
func TestPing(t *testing.T) {
	t.Parallel()
	t.Run("3 s", func(t *testing.T) { testPing(t, 3*time.Second, 3*time.Second) })
	t.Run("default", func(t *testing.T) { testPing(t, 0, 15*time.Second) })
}

func testPing(t *testing.T, set, timeout time.Duration) {
	r := newRig(t, h2client.Config{PingInterval: 10 * time.Second, PingTimeout: set})
	k, p := r.first()
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
	// A late answer makes it longer.
	if d, least := time.Duration(ended-began), 3*10*time.Second+timeout-time.Second; d < least {
		t.Errorf("given up after %v, want %v", d, least)
	}
	if got := wiretest.Within(t, "the end", said); len(got) != 4 || got[3] != "GOAWAY 0 NO_ERROR" {
		t.Errorf("got %q", got)
	}
	if k.leave(); len(r.Conns()) > 0 {
		wiretest.Eventually(t, "the connection to be forgotten", func() bool { return len(r.Conns()) == 0 })
	}
}

// There is no PING without requests, while the server sends something, or without PingInterval.
func TestNoPing(t *testing.T) {
	r := newRig(t, h2client.Config{PingInterval: 10 * time.Second})
	k, p := r.first()
	r.passes(30*time.Second, p) // it sends something ten times a second
	k.leave()
	p.Want("RST_STREAM 1 CANCEL")
	r.clock.Advance(time.Minute)
	p.WantIdle()
	r = newRig(t, h2client.Config{})
	k, p = r.first()
	r.clock.Advance(time.Minute)
	p.WantIdle()
	k.leave()
}

// A connection without requests ends after IdleTimeout, counted from the end of the last one. Requests
// that wait keep it open.
func TestIdleTimeout(t *testing.T) {
	r := newRig(t, h2client.Config{IdleTimeout: 10 * time.Second})
	k, p := r.first()
	r.passes(20*time.Second, p)
	k.leave()
	p.Want("RST_STREAM 1 CANCEL")
	r.passes(9*time.Second, p)
	if len(r.Conns()) == 0 {
		t.Fatal("the connection ended too early")
	}
	k = r.begin()
	p.Want("HEADERS 3" + asked + " END")
	r.passes(9*time.Second, p)
	k.leave()
	p.Want("RST_STREAM 3 CANCEL")
	r.passes(9*time.Second, p) // PINGs are no requests
	if len(r.Conns()) == 0 {
		t.Fatal("the connection ended too early")
	}
	r.until("the connection to end", func() bool { return len(r.Conns()) == 0 })
	p.Want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
	r.begin().leave() // on another
}

// A connection that never had a request ends, too.
func TestIdleFromTheBeginning(t *testing.T) {
	r := newRig(t, h2client.Config{IdleTimeout: time.Second})
	c, err := r.dial(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	p := <-r.dialed
	start := r.clock.Now()
	r.until("the connection to end", func() bool { return !c.Usable() })
	if d := time.Duration(r.clock.Now() - start); d > 5*time.Second {
		t.Errorf("the connection ended after %v", d)
	}
	p.Want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
}

// The connection ends exactly at the timeout, and takes no request from that moment on.
func TestIdleExactly(t *testing.T) {
	r := newRig(t, h2client.Config{IdleTimeout: time.Second})
	c, err := r.dial(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	p := <-r.dialed
	c.Lock()
	end := c.Now() + int64(time.Second)
	if next, err := c.DueLocked(end - 1); next != end || err != nil || !c.Usable() {
		t.Errorf("got %v, %v", next-end, err)
	}
	if next, err := c.DueLocked(end); next != 0 || err != nil || c.Usable() {
		t.Errorf("got %v, %v; usable: %v", next, err, c.Usable())
	}
	c.Unlock()
	c.Draw()
	p.Want("GOAWAY 0 NO_ERROR")
}

// mute returns a connection to a server that sends nothing, not even its preface.
func (r *rig) mute() (*h2client.Conn, *peer) {
	r.t.Helper()
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	r.t.Cleanup(func() { _ = far.Close() })
	c, err := h2client.New(r.eng, near, nil, &r.cfg, nil, r.Gone)
	if err != nil {
		r.t.Fatal(err)
	}
	p := newPeer(r.t, far)
	p.WantPreface()
	return c, p
}

// A server that sends nothing at all is sent a PING like any other, and the connection ends if it has not acknowledged our SETTINGS
// in time, whether there are requests or not.
func TestMute(t *testing.T) {
	for _, requests := range []int{0, 1} {
		r := newRig(t, h2client.Config{PingInterval: 3 * time.Second, PingTimeout: time.Minute})
		r.clock.Advance(time.Minute) // before there is a connection
		c, p := r.mute()
		if requests > 0 {
			for i := range 20 { // 2 s, in which no PING is sent
				k := &call{t: t}
				if begun, err := c.Start(&k.Exchange, get{}, false, false, nil); !begun {
					t.Fatal(err)
				}
				defer k.leave()
				p.Want(fmt.Sprint("HEADERS ", 2*i+1, asked, " END"))
				r.clock.Advance(100 * time.Millisecond)
			}
			said := make(chan string, 1)
			go func() { got, _ := p.Next(); said <- got }()
			r.until("a PING", func() bool { return len(said) > 0 })
			if got := <-said; got != "PING 01" {
				t.Errorf("got %s", got)
			}
		}
		r.until("the connection to end", func() bool { return !c.Usable() })
		p.Want("GOAWAY 0 SETTINGS_TIMEOUT")
	}
}

// A connection with requests stays open, one without ends at once.
func TestCloseIfIdle(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	r.CloseIdle()
	p.WantIdle()
	if !k.Conn().Usable() {
		t.Error("a connection with a request is idle")
	}
	p.ok(1, true)
	k.status()
	c := k.Conn()
	k.leave()
	r.CloseIdle()
	p.Want("GOAWAY 0 NO_ERROR")
	p.wantEOF()
	if c.Usable() {
		t.Error("the connection is usable")
	}
	wiretest.Eventually(t, "the pool to forget it", func() bool { return r.Hosts() == 0 })
	c.CloseIfIdle() // again
}

// The connection ends after the last request.
func TestClose(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	c := k.Conn()
	c.Close()
	p.Want("GOAWAY 0 NO_ERROR")
	p.ok(1, true)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.leave()
	p.wantEOF() // at once: no time has passed
}
