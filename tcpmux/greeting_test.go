package tcpmux_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// raw is a connection to a listener on which greetings are spoken by hand.
type raw struct {
	testing.TB
	nc    net.Conn
	ahead []byte
}

func (r *rig) raw() *raw {
	nc, err := net.Dial("tcp", r.l.Addr().String())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(long))
	w := &raw{TB: r.TB, nc: nc}
	nc.Write([]byte(muxframe.Magic))
	return w
}

func (w *raw) say(g muxframe.Greeting) { w.nc.Write(muxframe.AppendGreeting(nil, &g)) }

// hear returns the next greeting.
func (w *raw) hear() muxframe.Greeting {
	w.Helper()
	for {
		b := w.ahead
		if len(b) >= 8 && b[0] == muxframe.Magic[0] {
			b = b[8:]
		}
		g, n, err := muxframe.ParseGreeting(b)
		if err != nil {
			w.Fatal(err)
		}
		if n > 0 {
			w.ahead = b[n:]
			return g
		}
		buf := make([]byte, 1000)
		n, err = w.nc.Read(buf)
		if err != nil {
			w.Fatalf("no greeting: %v", err)
		}
		w.ahead = append(w.ahead, buf[:n]...)
	}
}

// wantRefused reads a refusal, and the end of the connection.
func (w *raw) wantRefused(why string, code muxframe.Refusal) {
	w.Helper()
	if g := w.hear(); g.Kind != muxframe.Refused || g.Code != code {
		w.Errorf("%s: %v %v, want refused: %v", why, g.Kind, g.Code, code)
	}
	if _, err := io.Copy(io.Discard, w.nc); err != nil {
		w.Errorf("%s: the connection ends with %v", why, err)
	}
}

var limits = muxframe.Limits{Window: 1 << 16, Session: 1 << 20, MaxMessage: 1 << 20, Channels: 10, ResumeTime: 10_000}

// A refused connection is told the reason that applies.
func TestRefused(t *testing.T) {
	r := newRig(t, tcpmux.Config{MaxSessions: 1})
	w := r.raw()
	w.say(muxframe.Greeting{Kind: muxframe.Resume, ID: muxframe.ID{1}})
	w.wantRefused("an id that nobody has", muxframe.Refusal(tcpmux.RefusedUnknownSession))

	w = r.raw()
	w.say(muxframe.Greeting{Kind: muxframe.Proof})
	w.wantRefused("out of turn", muxframe.Refusal(tcpmux.RefusedMalformed))

	w = r.raw()
	b := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Hello, Limits: limits})
	b[3] = 9
	w.nc.Write(b)
	w.wantRefused("another version", muxframe.Refusal(tcpmux.RefusedVersion))

	a, _ := r.session(tcpmux.Config{})
	_, err := tcpmux.Dial(r.ctx, r.p.url(), tcpmux.Config{})
	var refused *tcpmux.RefusedError
	if !errors.As(err, &refused) || refused.Code != tcpmux.RefusedTooManySessions {
		t.Errorf("a second session: %v", err)
	}

	// Somebody who has seen the id, and perhaps an old proof, is not taken for the dialler, and disturbs nobody.
	w = r.raw()
	w.say(muxframe.Greeting{Kind: muxframe.Resume, ID: idOf(a), Nonce: muxframe.Nonce{1}})
	if g := w.hear(); g.Kind != muxframe.Challenge || g.Nonce == (muxframe.Nonce{}) {
		t.Fatalf("got %+v, want %v with a nonce", g, muxframe.Challenge)
	}
	w.say(muxframe.Greeting{Kind: muxframe.Proof, MAC: muxframe.MAC{1}})
	w.wantRefused("a wrong proof", muxframe.Refusal(tcpmux.RefusedBadProof))
	if d, err := a.Ping(r.ctx); err != nil || a.Stats().Resumed != 0 {
		t.Errorf("the session was disturbed: got %v, %v", d, err)
	}
}

func idOf(s *tcpmux.Session) (id muxframe.ID) {
	for i := range id {
		for _, c := range s.ID()[2*i : 2*i+2] {
			d := byte(c - '0')
			if c >= 'a' {
				d = byte(c-'a') + 10
			}
			id[i] = id[i]<<4 | d
		}
	}
	return id
}

// A connection that sends no greeting, or something else, is closed.
func TestNoGreeting(t *testing.T) {
	r := newRig(t, tcpmux.Config{HandshakeTimeout: 30 * time.Millisecond, OnRefused: func(remote net.Addr, err error) {
		if remote == nil || err == nil {
			t.Errorf("refused: got %v, %v", remote, err)
		}
	}})
	for _, said := range []string{"GET / HTTP/1.1\r\n\r\n", "", muxframe.Magic, muxframe.Magic + "\x01\x00"} {
		nc, err := net.Dial("tcp", r.l.Addr().String())
		if err != nil {
			continue // it was cut off already
		}
		nc.SetDeadline(time.Now().Add(long))
		nc.Write([]byte(said))
		_, err = io.Copy(io.Discard, nc)
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("%q: the connection is kept", said)
		}
		nc.Close()
	}
	if nc, err := net.Dial("tcp", r.l.Addr().String()); err == nil {
		nc.Close() // who leaves at once
	}
	waits(t, "all are refused", func() bool { return r.l.Stats().Refused == 5 })
}

// A broken rule ends the session on both sides, with the rule as the reason.
func TestBrokenRuleEndsTheSession(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	w := r.raw()
	w.say(muxframe.Greeting{Kind: muxframe.Hello, Features: 1, Key: muxframe.Key{9}, Limits: limits})
	if g := w.hear(); g.Kind != muxframe.Welcome {
		t.Fatalf("got %+v, want Kind %v", g, muxframe.Welcome)
	}
	b, err := r.l.Accept(r.ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.nc.Write(muxframe.AppendEnd(nil, 7, 0))
	<-b.Done()
	var broken *tcpmux.ProtocolError
	if end := isEnd(b.Err()); !errors.As(end, &broken) || end.By != tcpmux.SidePeer {
		t.Errorf("got %v, want a broken rule, ended by %v", b.Err(), tcpmux.SidePeer)
	}
	said, err := io.ReadAll(w.nc)
	said = append(w.ahead, said...)
	if err != nil || len(said) == 0 || said[0] != 0xb0 || said[1] != byte(muxframe.KillProtocol) {
		t.Errorf("said % x, %v", said, err)
	}
}
