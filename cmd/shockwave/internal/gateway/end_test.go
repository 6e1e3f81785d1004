package gateway

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A message of any length arrives unchanged at the other side.
func TestMessages(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 5<<16)
	onEvery(t, func(t *testing.T, w way) {
		r := newRig(t, w, Config{MaxMessage: 16 << 20})
		p, b := r.pair()
		said := []string{"hello", "", "a", strings.Repeat("x", 512), strings.Repeat("y", copyLimit-4), strings.Repeat("z", copyLimit-3), big, "end"}
		for _, m := range said {
			go p.say(m)
			b.want(m)
		}
		all := strings.Join(said, "")
		go b.say(said...)
		if w.raw {
			for got := ""; got != all; {
				if got += p.next(); !strings.HasPrefix(all, got) {
					t.Fatalf("%d bytes, and they are not those that were said", len(got))
				}
			}
		} else {
			p.want(said...)
		}
		p.end(1000, "")
		b.wantEOF()
		b.finish()
		p.want("close 1000", "EOF")
		if e := r.wantEnd("peer closed 1000"); e.In != int64(len(all)) || e.Out != e.In || e.Status != 101 || e.To != r.g.cfg.Routes[0].To {
			t.Errorf("%+v, want %d bytes both ways", e, len(all))
		}
	})
}

// A message in several frames is one message, and pings between them are answered.
func TestFragments(t *testing.T) {
	r := newRig(t, ways[0], Config{})
	p, b := r.pair()
	p.frame(0x02, "he")
	p.frame(0x89, "?")
	p.want("pong")
	p.frame(0x00, "l")
	p.frame(0x80, "lo")
	b.want("hello")
}

// The service's bytes mean the same in pieces of any size.
func TestPieces(t *testing.T) {
	r := newRig(t, ways[0], Config{})
	p, b := r.pair()
	for _, c := range "\x00\x00\x00\x05hello\x00\x00\x00\x00\x00\x00\x00\x01x" {
		b.bytes(string(c))
	}
	p.want("hello", "", "x")
}

// With Config.Text text messages are accepted and sent.
func TestText(t *testing.T) {
	r := newRig(t, ways[0], Config{Text: true})
	p, b := r.pair()
	p.frame(0x81, "grüße")
	p.say("binary")
	b.want("grüße", "binary")
	b.say("grüße", "")
	p.want("text grüße", "text ")
	b.say("\xff")
	p.want("close 1011 a message of the service is no text")
	p.end(1011, "")
	p.want("EOF")
	r.wantEnd("service text 1011")
}

// tick is a time that is to pass. moment is one that must not pass before the test has said what it says first.
const (
	tick   = 50 * time.Millisecond
	moment = 2 * time.Second
)

// ends are the ways in which a peer or a service may end, and what the other is told.
var ends = []struct {
	name   string
	cfg    Config
	on     string // the ways; "": all
	does   func(p *remote, b *backend)
	sees   []string // the peer, in this order
	hears  string   // the service: "EOF", "reset", or either
	answer bool     // the peer answers the close frame
	want   string
}{
	{name: "the peer closes", does: func(p *remote, b *backend) { p.end(4000, "done"); b.wantEOF(); b.say("late"); b.Close() },
		cfg: Config{HalfClose: patience}, sees: []string{"late", "close 4000", "EOF"}, want: "peer closed 4000"},
	{name: "the peer closes without a code", does: func(p *remote, b *backend) { p.frame(0x88, ""); b.wantEOF(); b.finish() },
		cfg: Config{HalfClose: patience}, sees: []string{"close", "EOF"}, want: "peer closed 1005"},
	{name: "the peer closes, and is answered at once", does: func(p *remote, _ *backend) { p.end(1000, "") },
		sees: []string{"close 1000", "EOF"}, hears: "EOF", want: "peer closed 1000"},
	{name: "the peer closes, and the service goes on", cfg: Config{HalfClose: moment, Linger: moment},
		does: func(p *remote, b *backend) { p.end(1000, ""); b.wantEOF(); b.say("one") },
		sees: []string{"one", "close 1000", "EOF"}, want: "peer closed 1000"},
	{name: "the peer closes, and the service breaks a message off", cfg: Config{HalfClose: patience}, on: "ws-tcp wss-tls",
		does: func(p *remote, b *backend) { p.end(1000, ""); b.wantEOF(); b.bytes("\x00\x00\x00\x05he"); b.finish() },
		sees: []string{"close 1011 the service has ended in the middle", "EOF"}, want: "peer closed 1000"},
	{name: "the peer goes", does: func(p *remote, _ *backend) { p.say("last"); p.Close() }, hears: "last", want: "peer truncated 1006"},
	{name: "the peer goes inside a message", does: func(p *remote, _ *backend) { p.frame(0x02, "half"); p.Close() }, hears: "EOF", want: "peer truncated 1006"},
	{name: "the peer resets", on: "ws-tcp ws-tls ws-tcp-raw", does: func(p *remote, _ *backend) { p.Conn.(*net.TCPConn).SetLinger(0); p.Close() }, hears: "EOF", want: "peer reset 1006"},
	{name: "text", does: func(p *remote, _ *backend) { p.say("last"); p.frame(0x81, "text"); p.say("behind it") }, sees: []string{"close 1003 text messages are not enabled"},
		answer: true, hears: "last", want: "peer text 1003"},
	{name: "too large", cfg: Config{MaxMessage: 10}, does: func(p *remote, _ *backend) { p.say("last"); p.say("01234567890") }, sees: []string{"close 1009", "EOF"}, hears: "last", want: "peer too-large 1009"},
	{name: "a broken rule", does: func(p *remote, _ *backend) { p.say("last"); p.frame(0x83, "") }, sees: []string{"close 1002 reserved opcode"}, hears: "last", want: "peer protocol 1002"},
	{name: "the service ends", does: func(p *remote, b *backend) {
		b.say("one")
		p.want("one")
		b.say("two")
		b.finish()
		p.want("two", "close 1000")
		p.say("what was under way")
	}, answer: true, hears: "what was under way", want: "service eof 1000"},
	{name: "the service ends inside a length", on: "ws-tcp wss-tls", does: func(_ *remote, b *backend) { b.say("one"); b.bytes("\x00\x00"); b.finish() },
		sees: []string{"one", "close 1011 the service has ended in the middle"}, answer: true, hears: "EOF", want: "service truncated 1011"},
	{name: "the service ends inside a message", on: "ws-tcp wss-tls", does: func(_ *remote, b *backend) { b.say("one"); b.bytes("\x00\x00\x00\x05hell"); b.finish() },
		sees: []string{"one", "close 1011 the service has ended in the middle"}, answer: true, hears: "EOF", want: "service truncated 1011"},
	{name: "tls ends without an alert", on: "ws-tls wss-tls wss-tls-raw", does: func(_ *remote, b *backend) { b.say("one"); b.Conn.(*tls.Conn).NetConn().(*net.TCPConn).CloseWrite() },
		sees: []string{"one", "close 1000"}, answer: true, want: "service eof 1000"},
	{name: "the service resets", does: func(p *remote, b *backend) { b.say("one"); p.want("one"); reset(b.Conn) },
		sees: []string{"close 1011 the connection to the service has broken"}, answer: true, want: "service reset 1011"},
	{name: "the service's message is too large", cfg: Config{MaxMessage: 10}, on: "ws-tcp ws-tls wss-tls",
		does: func(_ *remote, b *backend) { b.say("0123456789"); b.bytes("\x00\x00\x00\x0b0123") },
		sees: []string{"0123456789", "close 1011 a message of the service is too large"}, answer: true, hears: "EOF or reset", want: "service too-large 1011"},
	{name: "the service claims 4 GiB", cfg: Config{MaxMessage: 16 << 20}, on: "ws-tcp", does: func(_ *remote, b *backend) { b.bytes("\xff\xff\xff\xff") },
		sees: []string{"close 1011 a message of the service is too large"}, answer: true, hears: "EOF or reset", want: "service too-large 1011"},
	{name: "idle", cfg: Config{Idle: moment}, does: func(*remote, *backend) {}, sees: []string{"close 1001 idle"}, answer: true, hears: "EOF", want: "gateway idle 1001"},
	{name: "silent", cfg: Config{Heartbeat: moment}, does: func(p *remote, _ *backend) { p.want("ping"); p.wantBehindPings("reset") }, hears: "EOF", want: "peer silent 1006"},
	{name: "the peer does not answer", cfg: Config{Linger: tick}, does: func(_ *remote, b *backend) { b.finish() }, sees: []string{"close 1000", "EOF"}, hears: "EOF", want: "service eof 1000"},
}

// Each way in which a connection can end is passed on and reported as docs/cmd/gateway.md says.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range ends {
		for _, w := range ways {
			if tc.on != "" && !strings.Contains(" "+tc.on+" ", " "+w.name+" ") {
				continue
			}
			t.Run(tc.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, w, tc.cfg)
				p, b := r.pair()
				p.say("first")
				b.want("first")
				tc.does(p, b)
				p.want(tc.sees...)
				if tc.answer {
					p.end(1000, "")
					p.want("EOF")
				}
				switch tc.hears {
				case "":
				case "EOF or reset":
					_, _ = io.Copy(io.Discard, b)
				case "EOF":
					b.wantEOF()
				default:
					b.want(tc.hears)
					b.wantEOF()
				}
				b.Close()
				r.wantEnd(tc.want)
			})
		}
	}
}

// A service that cannot be reached closes its peer with 1013 and a reason.
func TestDown(t *testing.T) {
	for _, tc := range []struct {
		name string
		way  way
		cfg  Config
		does func(r *rig)
		text string
	}{
		{"refused", ways[0], Config{}, func(r *rig) { r.service.Close() }, "the service is down"},
		{"refused, wss", ways[3], Config{}, func(r *rig) { r.service.Close() }, "the service is down"},
		{"silent", ways[2], Config{Dial: 50 * time.Millisecond}, func(*rig) {}, "the service does not answer"},
		{"untrusted", ways[2], Config{TLS: &tls.Config{}}, func(r *rig) { b := r.accept(); go b.Read(make([]byte, 1)) }, "the service cannot be reached"},
		{"no TLS", ways[2], Config{}, func(r *rig) { b, _ := r.service.Accept(); b.Write([]byte("hello, here is no TLS")); b.Close() }, "the service cannot be reached"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tc.way, tc.cfg)
			if strings.HasPrefix(tc.name, "refused") {
				tc.does(r)
			}
			p := r.dial()
			p.say("nobody hears this")
			if !strings.HasPrefix(tc.name, "refused") {
				tc.does(r)
			}
			p.want("close 1013 " + tc.text)
			p.end(1013, "")
			p.want("EOF")
			if e := r.wantEnd("service down 1013"); e.End.Err == nil {
				t.Error("why is not told")
			}
		})
	}
}

// The connection of a failed TLS handshake is closed.
func TestDownLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[2], Config{Dial: tick})
	p := r.dial()
	nc, err := r.service.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, nc); err != nil {
		t.Errorf("behind the hello of TLS: %v", err)
	}
	p.want("close 1013 the service does not answer")
	p.end(1013, "")
	r.wantEnd("service down 1013")
}

// A service that takes nothing is reset, so that it cannot take a message that was cut for a whole one.
func TestStall(t *testing.T) {
	t.Parallel()
	for _, w := range []way{ways[0], ways[3]} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, w, Config{Stall: 100 * time.Millisecond, MaxMessage: 64 << 20, Linger: moment})
			p, b := r.pair()
			p.say("first")
			b.want("first")
			go p.Write([]byte("\x82\xff\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("x", 48<<20)))
			p.want("close 1013 the service takes nothing")
			p.end(1013, "")
			p.want("EOF")
			r.wantEnd("service slow 1013")
			b.wantReset()
		})
	}
}

// The timers of a peer that has ended do not keep it in memory.
func TestTimersEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, ways[0], Config{Idle: time.Hour, HalfClose: time.Hour})
	remote, b := r.pair()
	remote.say("hello") // behind which all is set up
	b.want("hello")
	r.g.mu.Lock()
	var p *peer
	for p = range r.g.peers {
	}
	r.g.mu.Unlock()
	remote.end(1000, "")
	wiretest.Eventually(t, "the peer's close frame", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.answerTimer != nil })
	b.Close()
	r.wantEnd("peer closed 1000")
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, timer := range map[string]interface{ Stop() bool }{"idle": p.idle, "answer": p.answerTimer} {
		if timer == nil || timer.Stop() {
			t.Errorf("the timer %q runs on: %v", name, timer)
		}
	}
}

// A read buffer grows while reads fill it, and shrinks when they do not.
func TestIntake(t *testing.T) {
	var in readBuffer
	defer in.free()
	for _, step := range []struct {
		n     int
		large bool // the room behind it
	}{{511, false}, {512, true}, {512, true}, {largeBuffer, true}, {513, true}, {511, false}, {512, true}, {1, false}} {
		room := in.space()
		for i := range step.n {
			room[i] = byte(i*7 + step.n)
		}
		want := string(room[:step.n])
		was := in.large
		if got := string(in.filled(step.n)); got != want {
			t.Errorf("a read of %d bytes has changed them", step.n)
		}
		if (in.large != nil) != step.large || was != nil && step.large && &was[0] != &in.large[0] {
			t.Errorf("behind %d bytes there is room for %d", step.n, len(in.space()))
		}
	}
}
