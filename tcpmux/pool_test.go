package tcpmux_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// A pool opens further sessions when the ones it has are full.
func TestPool(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	p := tcpmux.NewPool(r.p.url(), tcpmux.PoolConfig{Sessions: 2, Channels: 2, Config: tcpmux.Config{IdleTimeout: 50 * time.Millisecond}})
	var all []*tcpmux.Channel
	for range 4 {
		c, err := p.Open(r.ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if st := p.Stats(); st.Sessions != 2 || st.Channels != 4 || all[0].Session() != all[1].Session() || all[2].Session() != all[3].Session() {
		t.Errorf("got %+v; want two sessions with two channels each", st)
	}
	ctx, cancel := context.WithTimeout(r.ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := p.Open(ctx, ""); err != context.DeadlineExceeded {
		t.Errorf("all are full: got %v, want %v", err, context.DeadlineExceeded)
	}
	all[0].Reset(0)
	c, err := p.Open(r.ctx, "")
	if err != nil || c.Session() != all[0].Session() {
		t.Errorf("there is room again: %v", err)
	}
	for _, c := range append(all, c) {
		c.Reset(0)
	}
	waits(t, "idle sessions are closed", func() bool { return p.Stats().Sessions == 0 && len(r.l.Sessions()) == 0 })
	if _, err := p.Open(r.ctx, "again"); err != nil {
		t.Error(err)
	}
	_ = p.Shutdown(r.ctx)
	if _, err := p.Open(r.ctx, ""); !errors.Is(err, tcpmux.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// A pool without limits opens all channels in one session, and dials another one when that has ended.
func TestPoolWithoutBounds(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	p := tcpmux.NewPool(r.p.url(), tcpmux.PoolConfig{Sessions: -1, Channels: -1})
	var last *tcpmux.Channel
	for range 2000 {
		c, err := p.Open(r.ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		last = c
	}
	if st := p.Stats(); st.Sessions != 1 || st.Connected != 1 || st.Channels != 2000 {
		t.Errorf("got %+v; want Sessions 1, Connected 1, Channels 2000", st)
	}
	last.Session().Close()
	nc, err := p.DialContext(r.ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if _, err := p.Open(r.ctx, strings.Repeat("x", 300)); err != tcpmux.ErrNameTooLong {
		t.Errorf("a name that is too long: got %v, want %v", err, tcpmux.ErrNameTooLong)
	}
	_ = p.Shutdown(r.ctx)
	if _, err := p.DialContext(r.ctx, "", ""); !errors.Is(err, tcpmux.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	_ = r.l.Shutdown(r.ctx)
	p = tcpmux.NewPool(r.p.url(), tcpmux.PoolConfig{})
	if _, err := p.Open(r.ctx, ""); err == nil || p.Stats().Sessions != 0 {
		t.Errorf("nobody is there: %v", err)
	}
	_ = p.Shutdown(r.ctx)
}

// A session has at most MaxChannels channels, whatever PoolConfig.Channels is.
func TestPoolOfSmallSessions(t *testing.T) {
	for _, channels := range []int{0, -1, 3} {
		r := newRig(t, tcpmux.Config{})
		p := tcpmux.NewPool(r.p.url(), tcpmux.PoolConfig{Sessions: 2, Channels: channels, Config: tcpmux.Config{MaxChannels: 2}})
		first, err := p.Open(r.ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.l.Accept(r.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = b.Open("of the peer"); err != nil {
			t.Fatal(err)
		}
		waits(t, "it is full", func() bool { return first.Session().Channel("of the peer") != nil })
		var last *tcpmux.Channel
		for range 2 {
			if last, err = p.Open(r.ctx, ""); err != nil || last.Session() == first.Session() {
				t.Fatalf("there is room in another session: %v", err)
			}
		}
		if _, err := p.Open(r.ctx, ""); err != tcpmux.ErrTooManyChannels {
			t.Errorf("all are full, one of them by the peer's channels: got %v, want %v", err, tcpmux.ErrTooManyChannels)
		}
		first.Session().Channel("of the peer").Reset(0)
		if _, err = p.Open(r.ctx, ""); err != nil {
			t.Errorf("there is room again: %v", err)
		}
		opened := make(chan error)
		go func() {
			_, err := p.Open(r.ctx, "")
			opened <- err
		}()
		last.Reset(0)
		if err := <-opened; err != nil {
			t.Errorf("waiting for room: %v", err)
		}
		_ = p.Shutdown(r.ctx)
	}
}

// Open does not fail because a session is being closed.
func TestPoolPassesOverWhatIsClosing(t *testing.T) {
	r := newRig(t, tcpmux.Config{})
	p := tcpmux.NewPool(r.p.url(), tcpmux.PoolConfig{
		Sessions: 1, Config: tcpmux.Config{RedialFirst: time.Hour, RedialLongest: time.Hour, Linger: time.Hour},
	})
	c, err := p.Open(r.ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	s := c.Session()
	r.p.away(true)
	waits(t, "broken, and no other try is near", func() bool { return !s.Connected() && r.p.refused.Load() == 1 })
	r.p.away(false)
	ctx, cancel := context.WithCancel(r.ctx)
	closed := make(chan *tcpmux.EndError, 1)
	go func() { closed <- shutdown(ctx, s) }()
	waits(t, "it is closing", func() bool { _, err := s.Open(""); return err != nil })
	d, err := p.Open(r.ctx, "")
	if err != nil || d.Session() == s || s.Err() != nil {
		t.Errorf("%v, the session has ended: %v", err, s.Err())
	}
	cancel()
	<-closed
	_ = p.Shutdown(r.ctx)
}
