//go:build unix

package mux

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// After any kind of break each message arrives once, in order.
func TestMuxCuts(t *testing.T) {
	t.Parallel()
	onBothSchemes(t, func(t *testing.T, scheme string) {
		p := muxPairOn(t, scheme, "-keepalive", "1s")
		p.near.carried(`{"do":"open","channel":"a"}`)
		p.far.sees(`{"event":"open","channel":"a"}`)
		sent, breaksSeen := 0, 0
		say := func(n int) {
			for range n {
				for _, m := range []*muxer{p.near, p.far} {
					m.Say(fmt.Sprintf(`{"do":"send","channel":"a","fill":%d}`, 1000*(sent%7)+sent))
				}
				sent++
			}
		}
		for i, cut := range []func(){
			func() { p.proxy.Cut(breaks.End) },
			func() { p.proxy.Cut(breaks.Reset) },
			func() { p.proxy.Cut(breaks.Ghost) },
			func() { p.proxy.CutAfter(5000); p.proxy.Cut(breaks.Reset) },
			func() { p.proxy.CutAfter(0); p.proxy.Cut(breaks.Reset) },
			func() {
				p.proxy.Refuse(true)
				p.proxy.Cut(breaks.End)
				time.Sleep(300 * time.Millisecond)
				p.proxy.Refuse(false)
			},
		} {
			say(20)
			cut()
			say(20)
			for _, m := range []*muxer{p.near, p.far} {
				m.sees(`{"event":"broken","session":1}`, `{"event":"resumed","session":1}`)
			}
			if breaksSeen++; i == 3 {
				continue // there are more than one
			}
		}
		p.proxy.Exorcise()
		p.near.Say(`{"do":"end","channel":"a"}`)
		p.far.Say(`{"do":"end","channel":"a"}`)
		for _, m := range []*muxer{p.near, p.far} {
			m.sees(`{"event":"end","channel":"a"}`, fmt.Sprintf(`{"event":"acked","channel":"a","count":%d}`, sent))
			wantInOrder(t, m, sent)
			wantAlternating(t, m)
		}
		p.near.closes()
		p.far.closes()
	})
}

// wantInOrder wants messages 0 to n-1 of TestMuxCuts, each once.
func wantInOrder(t *testing.T, m *muxer, n int) {
	t.Helper()
	got := 0
	for _, e := range m.told() {
		if e["event"] != "message" {
			continue
		}
		if want := 1000*(got%7) + got; int(e["len"].(float64)) != want {
			t.Fatalf("message %d has %v bytes, want %d", got, e["len"], want)
		}
		got++
	}
	if got != n {
		t.Errorf("%d messages, want %d", got, n)
	}
}

// wantAlternating wants breaks and resumptions by turns.
func wantAlternating(t *testing.T, m *muxer) {
	t.Helper()
	last := "resumed"
	for _, e := range m.told() {
		name, _ := e["event"].(string)
		if name != "broken" && name != "resumed" {
			continue
		}
		if name == last {
			t.Errorf("two events %s", name)
		}
		if last = name; name == "broken" && e["error"] == "" || name == "resumed" && (e["remote"] == "" || e["outage_ms"] == nil) {
			t.Errorf("%v", e)
		}
	}
}

// A silent connection is broken after -keepalive.
func TestMuxBlackhole(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-keepalive", "200ms", "-handshake", "3s")
	p.near.carried(`{"do":"open","channel":"a"}`)
	p.far.sees(`{"event":"open"}`)
	p.proxy.Blackhole(true)
	p.near.carried(`{"do":"send","channel":"a","text":"through the dark"}`)
	p.near.sees(`{"event":"broken"}`)
	p.far.sees(`{"event":"broken"}`)
	p.proxy.Blackhole(false)
	p.near.sees(`{"event":"resumed"}`)
	p.far.sees(`{"event":"resumed"}`, `{"event":"message","text":"through the dark"}`)
	p.near.closes()
	p.far.closes()
	if n := p.far.count(`{"event":"message"}`); n != 1 {
		t.Errorf("%d messages", n)
	}
}

// A slow connection is not broken.
func TestMuxDelay(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-keepalive", "2s")
	p.near.carried(`{"do":"open","channel":"a"}`)
	p.proxy.Delay(300 * time.Millisecond)
	for i := range 10 {
		p.near.carried(fmt.Sprintf(`{"do":"send","channel":"a","text":"%d"}`, i))
	}
	p.near.sees(`{"event":"acked","count":10}`)
	p.near.closes()
	p.far.closes()
	if n := p.near.count(`{"event":"broken"}`); n != 0 {
		t.Errorf("it broke %d times", n)
	}
}

// A session that cannot be resumed ends, and reports what was not acknowledged.
func TestMuxLost(t *testing.T) {
	t.Parallel()
	t.Run("at-most-once", func(t *testing.T) {
		t.Parallel()
		p := muxPairOn(t, "tcp", "-at-most-once")
		p.proxy.Cut(breaks.Reset)
		p.near.sees(`{"event":"broken"}`, `{"event":"lost","session":1,"unacked":{}}`)
		p.near.ends(1)
		p.far.sees(`{"event":"broken"}`, `{"event":"lost","session":1}`)
		p.proxy.SetTarget(strings.TrimPrefix(p.far.url, "tcp://"))
		p.dial(t)
		p.near.closes()
		p.far.closes()
	})
	t.Run("resume-time", func(t *testing.T) {
		t.Parallel()
		p := muxPairOn(t, "tcp", "-resume-time", "1s")
		p.near.carried(`{"do":"open","channel":"a"}`, `{"do":"open","channel":"b"}`, `{"do":"send","channel":"a","text":"1"}`)
		p.near.sees(`{"event":"acked","channel":"a","count":1}`)
		p.proxy.Refuse(true)
		p.proxy.Cut(breaks.End)
		p.near.sees(`{"event":"broken"}`)
		p.near.carried(`{"do":"send","channel":"a","text":"2"}`, `{"do":"send","channel":"b","text":"3"}`, `{"do":"send","channel":"a","text":"4"}`)
		e := p.near.sees(`{"event":"lost","session":1,"unacked":{"a":2,"b":1}}`)
		if e["error"] == "" {
			t.Error(e)
		}
		p.near.ends(1)
		p.far.sees(`{"event":"lost","session":1}`)
		p.far.Say(`{"do":"send","channel":"a","text":""}`)
		p.far.sees(`{"event":"error","error":"no session"}`)
		p.far.closes()
	})
	t.Run("unknown session", func(t *testing.T) {
		t.Parallel()
		p := muxPairOn(t, "tcp")
		p.near.carried(`{"do":"open","channel":"a"}`)
		p.far.sees(`{"event":"open"}`)
		p.far.Signal(syscall.SIGKILL)
		p.near.sees(`{"event":"broken"}`)
		p.near.carried(`{"do":"send","channel":"a","text":"1"}`)
		other := runMux(t, "-listen", "tcp://127.0.0.1:0")
		p.proxy.SetTarget(strings.TrimPrefix(other.sees(`{"event":"listening"}`)["url"].(string), "tcp://"))
		e := p.near.sees(`{"event":"lost","unacked":{"a":1}}`)
		if !strings.Contains(e["error"].(string), "unknown session") {
			t.Error(e)
		}
		p.near.ends(1)
		other.closes()
	})
}

// Closing waits for the next connection, for -linger at most.
func TestMuxClosesOverABreak(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-linger", "10s")
	p.near.carried(`{"do":"open","channel":"a"}`)
	p.far.sees(`{"event":"open"}`)
	p.proxy.Refuse(true)
	p.proxy.Cut(breaks.Reset)
	p.near.sees(`{"event":"broken"}`)
	p.near.carried(`{"do":"send","channel":"a","text":"last"}`)
	p.near.carried(`{"do":"close"}`)
	time.AfterFunc(300*time.Millisecond, func() { p.proxy.Refuse(false) })
	p.far.sees(`{"event":"message","text":"last"}`, `{"event":"closed","by":"peer","undelivered":0}`)
	p.near.sees(`{"event":"closed","by":"us","undelivered":0}`)
	p.near.ends(0)
	p.far.closes()
}

// Messages that are not delivered in time are reported, and make the program fail.
func TestMuxUndelivered(t *testing.T) {
	t.Parallel()
	p := muxPairOn(t, "tcp", "-linger", "300ms")
	p.near.carried(`{"do":"open","channel":"a"}`)
	p.far.sees(`{"event":"open"}`)
	p.proxy.Refuse(true)
	p.proxy.Cut(breaks.Reset)
	p.near.sees(`{"event":"broken"}`)
	p.near.carried(`{"do":"send","channel":"a","text":"1"}`, `{"do":"send","channel":"a","text":"2"}`, `{"do":"close"}`)
	p.near.sees(`{"event":"closed","by":"us","undelivered":2}`)
	p.near.ends(1)
	p.far.Signal(os.Interrupt)
	p.far.ends(0)
}

// The first connection is retried for a while, unless the peer speaks another protocol.
func TestMuxNobodyListensYet(t *testing.T) {
	t.Parallel()
	far := runMux(t, "-listen", "tcp://127.0.0.1:0")
	proxy := breaks.New(t, strings.TrimPrefix(far.sees(`{"event":"listening"}`)["url"].(string), "tcp://"))
	proxy.Refuse(true)
	near := runMux(t, "-connect", "tcp://"+proxy.Addr())
	once := runMux(t, "-connect", "tcp://"+proxy.Addr(), "-redial", "0")
	once.ends(1)
	short := runMux(t, "-connect", "tcp://"+proxy.Addr(), "-handshake", "300ms")
	short.ends(1)
	proxy.Refuse(false)
	near.sees(`{"event":"session"}`)
	near.closes()
	wrong := runMux(t, "-connect", "tls://"+proxy.Addr())
	wrong.ends(1)
	if said := wrong.Err.String(); said == "" {
		t.Error("nothing is said")
	}
	far.closes()
}

// While stdout is not read no messages are received, the peer's sends wait, and then its stdin does.
func TestMuxNobodyReads(t *testing.T) {
	t.Parallel()
	far := clitest.Run(t, "mux", "-json", "-listen", "tcp://127.0.0.1:0")
	url := far.Next()["url"].(string)
	near := runMux(t, "-connect", url)
	near.carried(`{"do":"open","channel":"a"}`)
	const n, size = 80, 1_000_000
	said := make(chan struct{})
	go func() {
		defer close(said)
		for i := range n {
			fmt.Fprintf(near.In, `{"do":"send","channel":"a","fill":%d,"tag":%d}`+"\n", size, i)
		}
	}()
	select {
	case <-said:
		if got := near.count(`{"event":"ok"}`); got > 60 {
			t.Errorf("%d messages are taken", got)
		}
	case <-time.After(500 * time.Millisecond):
	}
	far.Wants(`{"event":"session"}`, `{"event":"open"}`)
	for range n {
		far.Waits(fmt.Sprintf(`{"event":"message","channel":"a","len":%d}`, size))
	}
	<-said
	near.closes()
	far.Signal(syscall.SIGTERM)
	far.Ends(0)
}
