package tcpmux_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// Names and metadata arrive unchanged, and Open refuses those that are too long.
func TestNamesAndMetadata(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{MaxChannels: 3})
	name, meta := strings.Repeat("n", tcpmux.MaxName), []byte(strings.Repeat("m", tcpmux.MaxMetadata))
	for _, bad := range []struct {
		name string
		meta []byte
	}{{name + "n", nil}, {"x", append(meta, 'm')}} {
		if _, err := a.OpenWith(bad.name, tcpmux.Options{Metadata: bad.meta}); err != tcpmux.ErrNameTooLong {
			t.Errorf("a name of %d bytes with %d: got %v, want %v", len(bad.name), len(bad.meta), err, tcpmux.ErrNameTooLong)
		}
	}
	if _, err := a.OpenWith(name, tcpmux.Options{Metadata: meta}); err != nil {
		t.Fatal(err)
	}
	y, err := b.Accept(r.ctx)
	if err != nil || y.Name() != name || string(y.Metadata()) != string(meta) {
		t.Fatalf("got %d bytes, %d bytes, %v", len(y.Name()), len(y.Metadata()), err)
	}
	if a.Channel(name) == nil || a.Channel("else") != nil || len(b.Channels()) != 1 || b.Channels()[0] != y {
		t.Error("Channel and Channels return other channels than those that are open")
	}
	for range 2 {
		if _, err := a.Open(""); err != nil {
			t.Error(err)
		}
	}
	if _, err := a.Open(""); err != tcpmux.ErrTooManyChannels {
		t.Errorf("a fourth: got %v, want %v", err, tcpmux.ErrTooManyChannels)
	}
}

// Accept returns each channel of the peer unless Open has returned it or it was reset before.
func TestNotAccepted(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	for k := range 100 { // many are forgotten
		x, err := a.Open("")
		if err != nil {
			t.Fatal(err)
		}
		if k%2 == 0 {
			x.Reset(1)
		} else {
			r.send(x, "and over")
			x.CloseSend()
		}
	}
	x, err := a.Open("taken")
	if err != nil {
		t.Fatal(err)
	}
	r.send(x, "hello")
	waits(t, "it has come", func() bool { return b.Channel("taken") != nil })
	y, err := b.Open("taken")
	if err != nil {
		t.Fatal(err)
	}
	r.want(y, "hello")
	if _, err := b.Open("taken"); err != tcpmux.ErrChannelExists {
		t.Errorf("opened twice: got %v, want %v", err, tcpmux.ErrChannelExists)
	}
	if _, err := a.Open("last"); err != nil {
		t.Fatal(err)
	}
	for k := range 51 {
		c, err := b.Accept(r.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if k == 50 {
			if c.Name() != "last" {
				t.Errorf("the last is %q", c.Name())
			}
			break
		}
		r.want(c, "and over")
		r.wantEnd(c)
		c.Close()
	}
	waits(t, "all are over", func() bool { return b.Stats().Channels == 2 && a.Stats().Channels == 2 })
}

// When too many sessions are disconnected, those that were disconnected last stay.
func TestCrowd(t *testing.T) {
	for name, cfg := range map[string]tcpmux.Config{"many": {MaxWaiting: 2}, "large": {WaitingBytes: 2500}} {
		r := newRig(t, cfg)
		var sessions []*tcpmux.Session
		for range 4 {
			a, b := r.session(tcpmux.Config{RedialFirst: time.Hour, RedialLongest: time.Hour})
			x, err := b.Open("kept")
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, b)
			r.p.away(true) // one behind the other
			waits(t, "broken, and no other try is near", func() bool {
				return !a.Connected() && !b.Connected() && int(r.p.refused.Load()) == len(sessions)
			})
			r.send(x, strings.Repeat("x", 1000))
			if len(sessions) < 4 {
				r.p.away(false)
			}
		}
		for k, s := range sessions[:2] {
			waits(t, name+": crowded out", func() bool { return errors.Is(s.Err(), tcpmux.ErrEvicted) })
			if end := isEnd(s.Err()); end.Undelivered != 1 || end.By != tcpmux.SideLocal {
				t.Errorf("%s: session %d: got %+v", name, k, end)
			}
		}
		if sessions[3].Err() != nil || r.l.Stats().Waiting < 1 || r.l.Stats().Accepted != 4 {
			t.Errorf("%s: got %v, %+v", name, sessions[3].Err(), r.l.Stats())
		}
	}
}

// Send returns while there is no connection, and the message is delivered on the next one.
func TestSendWhileAway(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{ResumeBytes: 1 << 20})
	x, y := r.channel(a, b, "x")
	x2, err := a.Open("another") // so that no window is full
	if err != nil {
		t.Fatal(err)
	}
	r.p.away(true)
	waits(t, "broken", func() bool { return !a.Connected() && !b.Connected() })
	sent := 0
	for ; sent < 20; sent++ {
		for _, c := range []*tcpmux.Channel{x, x2} {
			if err := c.TrySend(make([]byte, 10_000)); err != nil {
				t.Fatalf("message %d: %v", sent, err)
			}
		}
	}
	if n := a.Stats().Unacked; n < 400_000 {
		t.Errorf("%d bytes are kept", n)
	}
	r.p.away(false)
	for range sent {
		r.want(y, string(make([]byte, 10_000)))
	}
}

// Waiting Accept calls return one session each, and end when the listener is closed.
func TestAcceptWaits(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	got := make(chan error, 10)
	for range 5 {
		go func() {
			_, err := r.l.Accept(r.ctx)
			got <- err
		}()
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	if _, err := r.l.Accept(ctx); err != context.Canceled {
		t.Errorf("given up: got %v, want %v", err, context.Canceled)
	}
	for range 3 {
		a, err := tcpmux.Dial(r.ctx, r.p.url(), tcpmux.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if err := <-got; err != nil {
			t.Errorf("accept: %v", err)
		}
	}
	_ = r.l.Shutdown(ctx)
	for range 2 {
		if err := <-got; err != tcpmux.ErrClosed {
			t.Errorf("closed: got %v, want %v", err, tcpmux.ErrClosed)
		}
	}
	if _, err := r.l.Accept(r.ctx); err != tcpmux.ErrClosed {
		t.Errorf("closed: got %v, want %v", err, tcpmux.ErrClosed)
	}
	if _, err := tcpmux.Dial(r.ctx, r.p.url(), tcpmux.Config{}); err == nil {
		t.Error("Dial to a closed listener: got no error")
	}
}

// The buffer of a ReceiveInto that was given up is not written to, and the next call gets the message.
func TestBufferIsGivenBack(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	x, y := r.channel(a, b, "x")
	buf, other := make([]byte, 100_000), make([]byte, 100_000)
	for range 3 {
		ctx, cancel := context.WithCancel(r.ctx)
		given := make(chan error, 1)
		go func() {
			_, err := y.ReceiveInto(ctx, buf)
			given <- err
		}()
		cancel()
		if err := <-given; err != context.Canceled {
			t.Fatalf("got %v, want %v", err, context.Canceled)
		}
		clear(buf)
		r.send(x, strings.Repeat("x", len(buf)))
		if n, err := y.ReceiveInto(r.ctx, other); n != len(other) || err != nil || string(other) != strings.Repeat("x", n) {
			t.Errorf("got %d bytes, %v", n, err)
		}
		if string(buf) != string(make([]byte, len(buf))) {
			t.Error("the caller's buffer was written to")
		}
	}
	y.SetReadDeadline(time.Now().Add(-time.Second))
	if _, err := y.ReceiveInto(r.ctx, buf); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	y.SetReadDeadline(time.Time{})
	r.send(x, "last")
	if n, err := y.ReceiveInto(r.ctx, buf); n != 4 || err != nil {
		t.Errorf("got %d, %v; want 4", n, err)
	}
}
