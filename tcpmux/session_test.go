package tcpmux_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Messages of all sizes go both ways, and both ends of a channel are seen.
func TestConversation(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	if a.ID() != b.ID() || len(a.ID()) != 32 {
		t.Errorf("the session is %q here and %q there", a.ID(), b.ID())
	}
	if other, _ := r.session(tcpmux.Config{}); other.ID() == a.ID() || a.Dialled() == b.Dialled() {
		t.Errorf("another session is called %q, too; who has dialled: got %v, %v", a.ID(), a.Dialled(), b.Dialled())
	}
	x, y := r.channel(a, b, "orders")
	r.send(x, "one apple")
	r.send(x, "")
	r.want(y, "one apple")
	r.want(y, "")
	r.send(y, "thanks")
	r.want(x, "thanks")
	for _, n := range []int{1, 1000, 64 << 10, 200_000, 5 << 20} {
		p := strings.Repeat("0123456789", n/10+1)[:n]
		r.send(x, p)
		r.want(y, p)
	}
	if err := x.Flush(r.ctx); err != nil || x.Acked() != 7 {
		t.Errorf("%d acknowledged, %v", x.Acked(), err)
	}
	x.CloseSend()
	r.wantEnd(y)
	r.send(y, "last")
	y.CloseSend()
	r.want(x, "last")
	r.wantEnd(x)
	<-x.Done()
	<-y.Done()
	if end := shutdown(r.ctx, a); end.Err != nil || end.By != tcpmux.SideLocal || end.Undelivered != 0 {
		t.Errorf("closed: got %+v", end)
	}
	<-b.Done()
	if end := isEnd(b.Err()); end == nil || end.Err != nil || end.By != tcpmux.SidePeer || end.Undelivered != 0 {
		t.Errorf("the peer says %v", b.Err())
	}
}

// Nothing is lost or doubled although the connection is cut again and again.
func TestResume(t *testing.T) {
	var mu sync.Mutex
	var told []string
	note := func(what string) {
		mu.Lock()
		told = append(told, what)
		mu.Unlock()
	}
	cfg := tcpmux.Config{
		OnBroken:  func(*tcpmux.Session, error) { note("broken") },
		OnResumed: func(*tcpmux.Session, time.Duration) { note("resumed") },
	}
	r := newRig(t, tcpmux.Config{})
	cfg.RedialFirst, cfg.RedialLongest = quick.RedialFirst, quick.RedialLongest
	a, b := r.session(cfg)
	x, y := r.channel(a, b, "x")
	const n = 20_000
	go func() {
		for k := range n {
			p := bytes.Repeat([]byte{byte(k), byte(k >> 8)}, 1+k%100)
			if err := x.Send(r.ctx, p); err != nil {
				t.Errorf("send: %v", err)
				return
			}
		}
		x.CloseSend()
	}()
	for k := range n {
		if k%1000 == 500 {
			r.p.cut()
		}
		got, err := y.Receive(r.ctx)
		if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{byte(k), byte(k >> 8)}, 1+k%100)) {
			t.Fatalf("message %d: got %d bytes, %v", k, len(got), err)
		}
	}
	r.wantEnd(y)
	if err := x.Flush(r.ctx); err != nil || x.Acked() != n {
		t.Errorf("%d acknowledged, %v", x.Acked(), err)
	}
	_ = a.Shutdown(r.ctx)
	mu.Lock()
	defer mu.Unlock()
	if len(told) < 4 {
		t.Errorf("told of %v", told)
	}
	for i, what := range told {
		if what != [...]string{"broken", "resumed"}[i%2] {
			t.Fatalf("they do not alternate: %v", told)
		}
	}
}

// A session ends when the listener was restarted and does not know it.
func TestUnknownSession(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, _ := r.channel(a, b, "x")
	r.p.away(true)
	waits(t, "broken", func() bool { return !a.Connected() && !b.Connected() })
	r.send(x, "lost")
	r.send(x, "lost, too")
	other, err := tcpmux.Listen("tcp://127.0.0.1:0", tcpmux.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Shutdown(r.ctx)
	r.p.mu.Lock()
	r.p.to = other.Addr().String()
	r.p.mu.Unlock()
	r.p.away(false)
	<-a.Done()
	end := isEnd(a.Err())
	if !errors.Is(end, tcpmux.ErrUnknownSession) || end.Undelivered != 2 || end.Unacked["x"] != 2 {
		t.Errorf("%v: got %+v", a.Err(), end)
	}
	if err := x.Send(r.ctx, nil); !errors.Is(err, tcpmux.ErrUnknownSession) {
		t.Errorf("send: %v", err)
	}
}

// A session ends when it was not resumed within ResumeTimeout.
func TestResumeTime(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{ResumeTimeout: 50 * time.Millisecond})
	r.p.away(true)
	<-a.Done()
	<-b.Done()
	if !errors.Is(a.Err(), tcpmux.ErrResumeTimeout) || !errors.Is(b.Err(), tcpmux.ErrResumeTimeout) {
		t.Errorf("got %v, %v; want %v, %v", a.Err(), b.Err(), tcpmux.ErrResumeTimeout, tcpmux.ErrResumeTimeout)
	}
}

// A session with AtMostOnce ends with its connection.
func TestSessionAtMostOnce(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{AtMostOnce: true})
	r.p.cut()
	<-a.Done()
	<-b.Done()
	if !errors.Is(a.Err(), tcpmux.ErrConnectionLost) || !errors.Is(b.Err(), tcpmux.ErrConnectionLost) {
		t.Errorf("got %v, %v; want %v, %v", a.Err(), b.Err(), tcpmux.ErrConnectionLost, tcpmux.ErrConnectionLost)
	}
}

// Shutdown delivers what was sent before it although the connection has broken.
func TestCloseOverABreak(t *testing.T) {
	r := newRig(t, tcpmux.Config{Linger: long})
	a, b := r.session(tcpmux.Config{Linger: long})
	x, y := r.channel(a, b, "x")
	r.p.away(true)
	waits(t, "broken", func() bool { return !a.Connected() && !b.Connected() })
	for range 100 {
		r.send(x, "kept")
	}
	closed := make(chan *tcpmux.EndError, 1)
	go func() { closed <- shutdown(r.ctx, a) }()
	r.p.away(false)
	for range 100 {
		r.want(y, "kept")
	}
	if end := <-closed; end.Err != nil || end.Undelivered != 0 {
		t.Errorf("got %+v, want Undelivered 0", end)
	}
	<-b.Done()
}

// Shutdown reports how many messages were not delivered.
func TestCloseThatCannot(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{Linger: 50 * time.Millisecond})
	x, _ := r.channel(a, b, "x")
	r.p.away(true)
	waits(t, "broken", func() bool { return !a.Connected() })
	r.send(x, "1")
	r.send(x, "2")
	if end := shutdown(r.ctx, a); end.Err != nil || end.Undelivered != 2 || end.Unacked["x"] != 2 {
		t.Errorf(`got %+v; want Undelivered 2, Unacked["x"] 2`, end)
	}
}

// Close ends the session on both sides at once.
func TestAbort(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	a.Close()
	<-b.Done()
	if end := isEnd(b.Err()); end.Err == nil || end.By != tcpmux.SidePeer {
		t.Errorf("the peer says %v", b.Err())
	}
}

// A name that both sides open is one channel, however the OPENs cross.
func TestBothOpen(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	for range 200 {
		var x, y *tcpmux.Channel
		var all sync.WaitGroup
		all.Go(func() { x, _ = a.Open("both") })
		all.Go(func() { y, _ = b.Open("both") })
		all.Wait()
		r.send(x, "from a")
		r.send(y, "from b")
		r.want(x, "from b")
		r.want(y, "from a")
		x.CloseSend()
		y.CloseSend()
		r.wantEnd(x)
		r.wantEnd(y)
		<-x.Done()
		<-y.Done()
	}
}

// Waits end with their contexts.
func TestContexts(t *testing.T) {
	t.Parallel()
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, y := r.channel(a, b, "x")
	ctx, cancel := context.WithTimeout(r.ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := x.Receive(ctx); err != context.DeadlineExceeded {
		t.Errorf("receive: got %v, want %v", err, context.DeadlineExceeded)
	}
	r.send(x, strings.Repeat("x", 10<<20)) // one of any size comes in whole
	ctx, cancel = context.WithTimeout(r.ctx, 50*time.Millisecond)
	defer cancel()
	if err := x.Send(ctx, make([]byte, 10<<20)); err != context.DeadlineExceeded {
		t.Errorf("nobody takes it: got %v, want %v", err, context.DeadlineExceeded)
	}
	if p, err := y.Receive(r.ctx); err != nil || len(p) != 10<<20 {
		t.Errorf("got %d bytes, %v", len(p), err)
	}
	r.send(x, "behind")
	r.want(y, "behind")
	x.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := x.Receive(r.ctx); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("receive: %v", err)
	}
	x.SetReadDeadline(time.Time{})
	r.send(y, "answer")
	var small [3]byte
	if n, err := x.ReceiveInto(r.ctx, small[:]); n != 6 || err != io.ErrShortBuffer {
		t.Errorf("into 3 bytes: got %d, %v; want 6, %v", n, err, io.ErrShortBuffer)
	}
	r.want(x, "answer")
}

// A connection breaks when the peer does not answer a ping.
func TestKeepaliveFindsASilentPeer(t *testing.T) {
	broken := make(chan error, 100)
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{
		PingInterval: 50 * time.Millisecond, OnBroken: func(_ *tcpmux.Session, err error) { broken <- err },
	})
	x, y := r.channel(a, b, "x")
	r.p.mu.Lock()
	r.p.deaf = true
	r.p.mu.Unlock()
	if err := <-broken; !errors.Is(err, tcpmux.ErrPingTimeout) {
		t.Errorf("broken: %v", err)
	}
	r.send(x, "hello")
	r.p.cut()
	r.p.mu.Lock()
	r.p.deaf = false
	r.p.mu.Unlock()
	r.want(y, "hello")
}

// Ping returns the round-trip time, also after an outage.
func TestPing(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	for _, s := range []*tcpmux.Session{a, b} {
		if d, err := s.Ping(r.ctx); err != nil || d <= 0 {
			t.Errorf("got %v, %v; want a round-trip time", d, err)
		}
	}
}
