package tcpmux_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// logged is what a Logger has been told.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) has(words ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range words {
		if !strings.Contains(l.b.String(), w) {
			return false
		}
	}
	return true
}

// Each channel that the peer opens is served on its own goroutine, and Accept returns none.
func TestOnChannel(t *testing.T) {
	blocked := make(chan *tcpmux.Channel, 1)
	serve := func(c *tcpmux.Channel) {
		if strings.HasPrefix(c.Name(), "blocks") {
			blocked <- c
			<-c.Done()
			return
		}
		for p := range c.Messages() {
			_ = c.Send(context.Background(), append([]byte(c.Name()+string(c.Metadata())+" "), p...))
		}
		c.Close()
	}
	r := newRig(t, tcpmux.Config{OnChannel: serve})
	a, b := r.session(tcpmux.Config{OnChannel: serve})
	for side, s := range map[string]*tcpmux.Session{" of the dialler": a, " of the listener": b} {
		first, err := s.Open("blocks" + side)
		if err != nil {
			t.Fatal(err)
		}
		r.send(first, "nobody receives it")
		for _, name := range []string{"x" + side, "y" + side} {
			c, err := s.OpenWith(name, tcpmux.Options{Metadata: []byte("!")})
			if err != nil {
				t.Fatal(err)
			}
			r.send(c, "one")
			r.want(c, name+"! one")
			c.CloseSend()
			r.wantEnd(c)
		}
		there := <-blocked
		if _, err := there.Session().Open(first.Name()); !errors.Is(err, tcpmux.ErrChannelExists) {
			t.Errorf("a channel that is served is opened: %v", err)
		}
		first.Close()
		there.Close()
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	if c, err := b.Accept(ctx); err != context.Canceled {
		t.Errorf("accepted: got %v, %v", c, err)
	}
}

// A panic of OnChannel resets its channel, and everything else goes on.
func TestOnChannelPanics(t *testing.T) {
	said := new(logged)
	r := newRig(t, tcpmux.Config{Logger: slog.New(slog.NewTextHandler(said, nil)), OnChannel: func(c *tcpmux.Channel) {
		p, err := c.Receive(context.Background())
		if err != nil || string(p) == "fall" {
			panic("it has fallen")
		}
		_ = c.Send(context.Background(), p)
	}})
	a, _ := r.session(tcpmux.Config{})
	other, err := a.Open("other")
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Open("falls")
	if err != nil {
		t.Fatal(err)
	}
	r.send(c, "fall")
	var reset *tcpmux.ResetError
	if _, err := c.Receive(r.ctx); !errors.As(err, &reset) || reset.By != tcpmux.SidePeer || reset.Code != tcpmux.ResetPanic {
		t.Errorf("got %v, want a reset by %v with code %v", err, tcpmux.SidePeer, tcpmux.ResetPanic)
	}
	if !said.has("OnChannel has panicked", "it has fallen", "channel=falls", "onchannel_test.go") {
		t.Errorf("the log says %s", said.b.String())
	}
	r.send(other, "still there")
	r.want(other, "still there")
}

// At most MaxChannels calls of OnChannel run at once, even if their channels are over.
func TestOnChannelIsBounded(t *testing.T) {
	const most = 4
	var running, ran, over atomic.Int32
	leave := make(chan struct{})
	r := newRig(t, tcpmux.Config{MaxChannels: most, OnChannel: func(c *tcpmux.Channel) {
		if running.Add(1) > most {
			over.Add(1)
		}
		c.Close()
		<-leave
		running.Add(-1)
		ran.Add(1)
	}})
	a, _ := r.session(tcpmux.Config{})
	for range 2 * most {
		c, err := a.Open("")
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := a.Ping(r.ctx); err != nil {
			t.Fatal(err)
		}
	}
	waits(t, "calls run", func() bool { return running.Load() >= most })
	close(leave)
	waits(t, "the others are served", func() bool { return ran.Load() == 2*most })
	if over.Load() > 0 {
		t.Error("more than MaxChannels calls ran at once")
	}
}
