package tcpmux

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// hall is a listener of sessions, and a dialler that makes its greetings step by step.
type hall struct {
	*testing.T
	l *Listener
	d *dialler
}

func newHall(t *testing.T, cfg Config) *hall {
	l, err := Listen("tcp://127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = l.Shutdown(ctx) // nobody is waited for
	})
	a, err := parseAddress("tcp://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return &hall{t, l, &dialler{cfg: Config{}.settings(), to: a}}
}

// open opens a connection.
func (r *hall) open() *greetingConn {
	r.Helper()
	h, _, release, err := r.d.open(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		release()
		h.Close()
	})
	h.SetDeadline(time.Now().Add(20 * time.Second))
	return h
}

// begin starts a session whose connection nobody reads: a is the dialler's side of it, b the listener's.
func (r *hall) begin() (h *greetingConn, a, b *Session) {
	r.Helper()
	h = r.open()
	a, err := greet(h, r.d.cfg, nil)
	if err == nil {
		a.origin = r.d
		b, err = r.l.Accept(r.Context())
	}
	if err != nil {
		r.Fatal(err)
	}
	return h, a, b
}

// resume asks on another connection to resume a session; p is the proof of its identity.
func (r *hall) resume(a *Session) (h *greetingConn, p secret.Proof) {
	r.Helper()
	h = r.open()
	p = secret.Proof{Secret: a.secret, ID: a.id, DiallerNonce: secret.NewNonce()}
	r.say(h, muxframe.Magic, muxframe.Greeting{Kind: muxframe.Resume, ID: a.id, Nonce: p.DiallerNonce})
	x, _, err := h.expect(muxframe.Challenge)
	if err != nil {
		r.Fatal(err)
	}
	p.ListenerNonce = x.Nonce
	return h, p
}

func (r *hall) say(h *greetingConn, before string, g muxframe.Greeting) {
	r.Helper()
	if _, err := h.Write(muxframe.AppendGreeting([]byte(before), &g)); err != nil {
		r.Fatal(err)
	}
}

// prove sends the proof, with the given count of received bytes, and returns the reply.
func (r *hall) prove(h *greetingConn, p secret.Proof, received uint64) (muxframe.Greeting, error) {
	r.Helper()
	p.DiallerReceived = received
	r.say(h, "", muxframe.Greeting{Kind: muxframe.Proof, Received: received, MAC: p.MAC(secret.Dialler)})
	x, _, err := h.expect(muxframe.Resumed)
	return x, err
}

// read reads n bytes of what follows the greetings.
func (r *hall) read(h *greetingConn, n int) []byte {
	r.Helper()
	b := make([]byte, n)
	k := copy(b, h.ahead)
	h.ahead = h.ahead[k:]
	if _, err := io.ReadFull(h, b[k:]); err != nil {
		r.Fatal(err)
	}
	return b
}

// wantGone wants the connection to end without a message.
func (r *hall) wantGone(what string, h *greetingConn) {
	r.Helper()
	b, err := io.ReadAll(h)
	if ne, ok := err.(net.Error); len(b) > 0 || ok && ne.Timeout() {
		r.Errorf("%s: the connection goes on with % x, %v", what, b, err)
	}
}

// If a dialler proves itself but says that it has received more than was sent, its connection ends and the session waits for
// another one.
func TestProofOfWhatCannotBe(t *testing.T) {
	r := newHall(t, Config{})
	first, a, b := r.begin()
	h, p := r.resume(a)
	_, _ = r.prove(h, p, 1000) // what it says may be lost with the connection
	r.wantGone("more than was sent", h)
	r.wantGone("which another one has followed", first)
	b.until(t, "it waits", func() bool { return r.l.Stats().Waiting == 1 })
	if b.Err() != nil || b.Connected() {
		t.Errorf("connected: got %v, %v", b.Connected(), b.Err())
	}
	h, p = r.resume(a)
	if _, err := r.prove(h, p, 0); err != nil {
		t.Fatal(err)
	}
	b.until(t, "it goes on", func() bool { return b.conn != nil && r.l.Stats().Waiting == 0 })
	if st := b.Stats(); st.Resumed != 1 {
		t.Errorf("got %+v, want Resumed 1", st)
	}
}

// The session's connection is cut when another one has proved itself.
func TestLaterConnectionWins(t *testing.T) {
	broken := make(chan error, 10)
	r := newHall(t, Config{OnBroken: func(_ *Session, err error) { broken <- err }})
	last, a, b := r.begin()
	for k := range uint64(3) {
		h, p := r.resume(a)
		if _, err := r.prove(h, p, 0); err != nil {
			t.Fatal(err)
		}
		r.wantGone("which another one has followed", last)
		if err := <-broken; err != errReplaced {
			t.Errorf("broken: got %v, want %v", err, errReplaced)
		}
		b.until(t, "it goes on", func() bool { return uint64(b.resumeCount) == k+1 })
		last = h
	}
	if r.ping(last); len(broken) != 0 || r.l.Stats().Waiting != 0 {
		t.Errorf("broken %d times, %+v", len(broken), r.l.Stats())
	}
}

// A dialler whose session ends before its proof arrives is told how it has ended.
func TestEndedBeforeTheProof(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(b *Session)
		want muxframe.Greeting
	}{
		"closed":  {func(b *Session) { b.locked(func() { b.finishLocked(EndError{}) }) }, muxframe.Greeting{Code: muxframe.RefusedOver, Received: 4}},
		"aborted": {func(b *Session) { b.Close() }, muxframe.Greeting{Code: muxframe.RefusedUnknown}},
	} {
		r := newHall(t, Config{})
		first, a, b := r.begin()
		if _, err := first.Write(muxframe.AppendOpen(nil, 1, "x", nil)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Accept(t.Context()); err != nil {
			t.Fatal(err)
		}
		h, p := r.resume(a)
		tc.end(b)
		x, err := r.prove(h, p, 0)
		var refused *RefusedError
		if !errors.As(err, &refused) || x.Code != tc.want.Code || x.Received != tc.want.Received {
			t.Errorf("%s: got %+v, %v", name, x, err)
		}
		r.wantGone(name, h)
	}
}

// A peer that breaks the rules of the greeting is refused, and OnRefused gets the reason.
func TestRefusedAtOnce(t *testing.T) {
	hello := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Hello, Limits: Config{}.settings().limits()})
	for name, said := range map[string]string{
		"another protocol": "GET / HTTP/1.1\r\n\r\n",
		"no greeting":      muxframe.Magic + "\x09\x00\x00",
		"a second HELLO":   muxframe.Magic + "\x02\x00\x01\x00",
		"a key that is none, with which everybody would agree on the same": muxframe.Magic + string(hello),
	} {
		why := make(chan error, 2)
		r := newHall(t, Config{HandshakeTimeout: -1, OnRefused: func(_ net.Addr, err error) { why <- err }})
		h := r.open()
		if _, err := h.Write([]byte(said)); err != nil {
			t.Fatal(err)
		}
		x, _, err := h.expect(muxframe.Welcome)
		var refused *RefusedError
		if errors.As(err, &refused) != (x.Kind == muxframe.Refused) || errors.As(err, &refused) && x.Code != muxframe.RefusedMalformed || err == nil {
			t.Errorf("%s: got %+v, %v", name, x, err)
		}
		if said[0] == muxframe.Magic[0] && len(said) < 20 && refused == nil {
			t.Errorf("%s: %v", name, err)
		}
		r.wantGone(name, h)
		if err := <-why; err == nil || err == errGone {
			t.Errorf("%s: refused because of %v", name, err)
		}
		if n := r.l.Stats().Refused; n != 1 || len(why) != 0 {
			t.Errorf("%s: refused %d times", name, n)
		}
	}
}

// greets makes protocol greet connections to another address. The first is number 0.
func (r *hall) greets(protocol func(k int, g *greeter) netconn.Protocol) {
	r.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { ln.Close() })
	if r.d.to, err = parseAddress("tcp://" + ln.Addr().String()); err != nil {
		r.Fatal(err)
	}
	go func() {
		for k := 0; ; k++ {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			if err := r.l.engine.Run(nc, nil, func(nc *netconn.Conn) (netconn.Protocol, error) {
				return protocol(k, &greeter{l: r.l, nc: nc}), nil
			}); err != nil {
				r.Error(err)
			}
		}
	}()
}

// mute is a protocol that says nothing.
type mute struct{}

func (mute) Data(_ *netconn.Conn, in []byte) (int, error) { return len(in), nil }
func (mute) End(*netconn.Conn, error)                     {}

// A proven connection is not used if another one has followed, or the session has ended.
func TestProvenTooLate(t *testing.T) {
	for name, tc := range map[string]struct {
		do      func(b *Session, one, two *netconn.Conn) (stays *conn, ok bool)
		waiting int
	}{
		"the later one goes on": {func(b *Session, one, two *netconn.Conn) (*conn, bool) {
			f, _, _ := b.fenceOff()
			g, _, _ := b.fenceOff()
			late := b.resumeOn(one, f, 0)
			waited := b.origin.(*Listener).Stats().Waiting == 1
			c := b.resumeOn(two, g, 0)
			return c, late == nil && waited
		}, 0},
		"it has gone on": {func(b *Session, one, two *netconn.Conn) (*conn, bool) {
			f, _, _ := b.fenceOff()
			g, _, _ := b.fenceOff()
			c := b.resumeOn(two, g, 0)
			return c, b.resumeOn(one, f, 0) == nil
		}, 0},
		"it has gone on, and is gone": {func(b *Session, one, two *netconn.Conn) (*conn, bool) {
			f, _, _ := b.fenceOff()
			g, _, _ := b.fenceOff()
			c := b.resumeOn(two, g, 0)
			b.locked(func() { b.connEndedLocked(c, io.EOF) })
			return nil, c != nil && b.resumeOn(one, f, 0) == nil
		}, 1},
		"the end": {func(b *Session, one, _ *netconn.Conn) (*conn, bool) {
			f, _, _ := b.fenceOff()
			b.Close()
			_, _, ok := b.fenceOff()
			return nil, b.resumeOn(one, f, 0) == nil && !ok
		}, 0},
		"what cannot be": {func(b *Session, one, _ *netconn.Conn) (*conn, bool) {
			f, _, _ := b.fenceOff()
			return nil, b.resumeOn(one, f, 1000) == nil
		}, 1},
	} {
		conns := make(chan *netconn.Conn, 3)
		r := newHall(t, Config{})
		r.greets(func(k int, g *greeter) netconn.Protocol {
			if k == 0 {
				return g
			}
			conns <- g.nc
			return mute{}
		})
		_, _, b := r.begin()
		b.until(t, "it is connected", func() bool { return b.conn != nil })
		r.open()
		r.open()
		stays, ok := tc.do(b, <-conns, <-conns)
		b.locked(func() {
			if !ok || b.conn != stays || (stays != nil) != (tc.waiting == 0 && b.end == nil) {
				t.Errorf("%s: %v, the connection is the right one: %v", name, ok, b.conn == stays)
			}
		})
		if n := r.l.Stats().Waiting; n != int64(tc.waiting) {
			t.Errorf("%s: %d sessions wait", name, n)
		}
	}
}

// slowGreeter is a greeter whose alarm runs when its greeting is just over.
type slowGreeter struct {
	*greeter
	left int // greetings of the dialler's that are still to come
}

func (g *slowGreeter) Data(nc *netconn.Conn, in []byte) (int, error) {
	n, err := g.greeter.Data(nc, in)
	if g.left--; g.left == 0 {
		g.Alarm()
	}
	return n, err
}

// ping wants the session's connection to answer.
func (r *hall) ping(h *greetingConn) {
	r.Helper()
	pong := muxframe.AppendPing(nil, muxframe.Ping, 7)
	if _, err := h.Write(pong); err != nil {
		r.Error(err)
	}
	if pong = r.read(h, len(pong)); pong[0] != 0xa0 {
		r.Errorf("% x", pong)
	}
}

// A session that has ended is returned by Accept only if it has channels to accept.
func TestEndedBeforeItWasAccepted(t *testing.T) {
	r := newHall(t, Config{})
	unaccepted := func() int {
		r.l.mu.Lock()
		defer r.l.mu.Unlock()
		return len(r.l.unaccepted)
	}
	for range 3 {
		h := r.open()
		if _, err := greet(h, r.d.cfg, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Write(muxframe.AppendKill(nil, muxframe.KillAborted, "")); err != nil {
			t.Fatal(err)
		}
		r.wantGone("killed", h)
	}
	if n := unaccepted(); n != 0 {
		t.Errorf("%d sessions are kept", n)
	}
	h := r.open()
	if _, err := greet(h, r.d.cfg, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Write(muxframe.AppendKill(muxframe.AppendOpen(nil, 1, "x", nil), muxframe.KillAborted, "")); err != nil {
		t.Fatal(err)
	}
	r.wantGone("killed", h)
	s, err := r.l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "x" {
		t.Errorf("its channel is lost: %v", err)
	}
}

// The handshake's alarm does not end a connection whose greeting was in time.
func TestAlarmBehindTheGreeting(t *testing.T) {
	r := newHall(t, Config{})
	r.greets(func(k int, g *greeter) netconn.Protocol { return &slowGreeter{g, k + 1} })
	h, a, _ := r.begin()
	r.ping(h)
	h, p := r.resume(a)
	if _, err := r.prove(h, p, 0); err != nil {
		t.Fatal(err)
	}
	r.ping(h)
}

// lateGreeter is a greeter that gives its connection to a session at once, and becomes its protocol when an alarm of the session
// has passed.
type lateGreeter struct {
	*greeter
	t  *testing.T
	to chan *Session
}

func (g *lateGreeter) Data(nc *netconn.Conn, in []byte) (int, error) {
	b := <-g.to
	fence, _, _ := b.fenceOff()
	c := b.resumeOn(nc, fence, 0)
	g.done.Store(true)
	b.until(g.t, "the alarm has come", func() bool { return nc.Moment() > c.alarmAt+int64(50*time.Millisecond) })
	g.become(c)
	return len(in), nil
}

// An alarm of the session that comes before the connection is handed over is not lost.
func TestAlarmOfTheGreeter(t *testing.T) {
	broken := make(chan error, 10)
	r := newHall(t, Config{OnBroken: func(_ *Session, err error) { broken <- err }})
	to := make(chan *Session, 1)
	r.greets(func(k int, g *greeter) netconn.Protocol {
		if k == 0 {
			return g
		}
		return &lateGreeter{g, t, to}
	})
	_, _, b := r.begin()
	b.until(t, "it is connected", func() bool { return b.conn != nil })
	b.locked(func() {
		cfg := *b.cfg
		cfg.PingInterval = time.Millisecond // only now: it would be silent before it has begun
		b.cfg = &cfg
		b.conn.setAlarmLocked()
	})
	if err := <-broken; err != ErrPingTimeout {
		t.Errorf("broken: got %v, want %v", err, ErrPingTimeout)
	}
	to <- b
	if _, err := r.open().Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-broken:
		if err != ErrPingTimeout {
			t.Errorf("broken: got %v, want %v", err, ErrPingTimeout)
		}
	case <-time.After(20 * time.Second):
		t.Error("the silent peer was not noticed")
	}
}
