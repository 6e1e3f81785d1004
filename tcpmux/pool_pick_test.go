package tcpmux

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pooledAs returns a session of a pool: connected or not, ended or not, with so many channels.
func pooledAs(connected, ended bool, used int) *pooled {
	s := lonely(Config{})
	if connected {
		s.conn = &conn{s: s}
	}
	if ended {
		s.end = &EndError{}
	}
	return &pooled{s: s, channels: used}
}

// A pool picks the session that was used last, unless it is full, has ended, or has no connection while another one may be
// dialled.
func TestPick(t *testing.T) {
	type is struct {
		connected, ended bool
		used             int
	}
	for name, tc := range map[string]struct {
		sessions, channels, dialling int // the bounds, and what is under way
		have                         []is
		want                         int // -1: none
	}{
		"there are none":                    {2, 2, 0, nil, -1},
		"one":                               {2, 2, 0, []is{{true, false, 1}}, 0},
		"used last":                         {2, 2, 0, []is{{true, false, 1}, {true, false, 1}}, 1},
		"full":                              {2, 2, 0, []is{{true, false, 1}, {true, false, 2}}, 0},
		"all are full":                      {2, 2, 0, []is{{true, false, 2}, {true, false, 2}}, -1},
		"not full":                          {2, 65536, 0, []is{{true, false, 1}, {true, false, 9999}}, 1},
		"ended":                             {2, 2, 0, []is{{true, false, 1}, {false, true, 0}}, 0},
		"away":                              {2, 2, 0, []is{{true, false, 1}, {false, false, 1}}, 0},
		"the only one, away":                {1, 2, 0, []is{{false, false, 1}}, 0},
		"away, and there may be another":    {2, 2, 0, []is{{false, false, 1}}, -1},
		"away, and there may be any number": {0, 2, 0, []is{{false, false, 1}, {false, false, 1}}, -1},
		"away, and another is dialled":      {2, 2, 1, []is{{false, false, 1}}, 0},
		"all are away":                      {2, 2, 0, []is{{false, false, 1}, {false, false, 1}}, 1},
		"all are away, and that used last is full": {2, 2, 0, []is{{false, false, 1}, {false, false, 2}}, 0},
	} {
		p := &Pool{cfg: PoolConfig{Sessions: tc.sessions, Channels: tc.channels}, dialling: tc.dialling}
		var all []*pooled
		for _, x := range tc.have {
			all = append(all, pooledAs(x.connected, x.ended, x.used))
		}
		p.sessions = append(p.sessions, all...)
		x := p.pickLocked(nil)
		if (x == nil) != (tc.want < 0) || x != nil && x != all[tc.want] {
			t.Errorf("%s: not the right one", name)
		}
		if len(p.sessions) != len(all) || x != nil && p.sessions[len(all)-1] != x {
			t.Errorf("%s: it is not the one used last now", name)
		}
	}
}

// A zero field is the default and a negative one means none, except that a session has at most MaxChannels.
func TestPoolDefaults(t *testing.T) {
	d := NewPool("", PoolConfig{})
	n := NewPool("", PoolConfig{Sessions: -1, Channels: -1, Config: Config{IdleTimeout: -1}})
	if d.cfg.Sessions != 4 || d.cfg.Channels != 1024 || d.idle != 90*time.Second || n.cfg.Sessions != 0 || n.cfg.Channels != 65536 || n.idle != 0 {
		t.Errorf("got %+v, %+v; want the defaults, and no limits", d, n)
	}
}

// A session is removed from the pool once, and waiting Open calls are woken.
func TestRemove(t *testing.T) {
	p := NewPool("tcp://peer:1", PoolConfig{})
	a, b, c := pooledAs(true, false, 1), pooledAs(true, false, 2), pooledAs(true, false, 3)
	p.sessions = []*pooled{a, b, c}
	changed := p.changed
	if p.removeLocked(b); len(p.sessions) != 2 || p.sessions[0] != a || p.sessions[1] != c {
		t.Errorf("got %v, want [%v %v]", p.sessions, a, c)
	}
	select {
	case <-changed:
	default:
		t.Error("no waiting Open was woken")
	}
	if p.removeLocked(b); len(p.sessions) != 2 || p.Stats() != (PoolStats{Sessions: 2, Connected: 2, Channels: 4}) {
		t.Errorf("got %+v; want Sessions 2, Connected 2, Channels 4", p.Stats())
	}
}

// A session is closed when it has had no channels for IdleTimeout, and one that has ended is removed.
func TestPoolWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("tcp://peer:1", PoolConfig{Config: Config{IdleTimeout: time.Minute}})
		used, idle, ends := pooledAs(false, false, 1), pooledAs(false, false, 0), pooledAs(false, false, 1)
		p.sessions = []*pooled{used, idle, ends}
		begun := time.Now()
		for _, x := range p.sessions {
			x.idle = begun
			p.running.Go(func() { p.watch(x) })
		}
		there := func() []*pooled {
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			return append([]*pooled(nil), p.sessions...)
		}
		closing := func(s *Session) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.closing && s.end != nil
		}
		p.release(ends)
		ends.s.Close()
		if n := len(there()); n != 2 {
			t.Errorf("%d are there", n)
		}
		time.Sleep(time.Minute - 1)
		if len(there()) != 2 || closing(idle.s) {
			t.Error("the idle session is closed too early")
		}
		time.Sleep(15*time.Second + 1)
		if all := there(); len(all) != 1 || all[0] != used || !closing(idle.s) {
			t.Error("the idle session is not closed")
		}
		p.release(used)
		time.Sleep(time.Minute - 1)
		if len(there()) != 1 || closing(used.s) {
			t.Error("the idle time did not begin at the end of the last channel")
		}
		time.Sleep(15*time.Second + 1)
		_ = p.Shutdown(t.Context())
		if len(there()) != 0 || !closing(used.s) {
			t.Error("the second session is not closed")
		}
	})
}

// Shutdown also waits for sessions that are being closed because they were idle.
func TestPoolCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("tcp://peer:1", PoolConfig{})
		ended, closed := make(chan struct{}), make(chan struct{})
		p.running.Go(func() { <-ended })
		go func() {
			defer close(closed)
			_ = p.Shutdown(t.Context())
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Shutdown does not wait for the session that is being closed")
		default:
		}
		close(ended)
		<-closed
	})
}

// A failed dial leaves room for another one, and one that ends after the pool was closed is not used.
func TestPoolDials(t *testing.T) {
	r := newHall(t, Config{})
	var p *Pool
	var before func() error
	p = NewPool("tcp://"+r.l.Addr().String(), PoolConfig{Sessions: 1, Config: Config{
		NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if err := before(); err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}})
	changed := p.changed
	before = func() error { return errNobody }
	if _, err := p.Open(t.Context(), ""); !errors.Is(err, errNobody) {
		t.Errorf("nobody: %v", err)
	}
	select {
	case <-changed:
	default:
		t.Error("no waiting Open was woken by the room")
	}
	before = func() error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	x, err := p.Open(ctx, "")
	if err != nil || p.Stats() != (PoolStats{Sessions: 1, Connected: 1, Channels: 1}) {
		t.Fatalf("got %v, %+v; want Sessions 1, Connected 1, Channels 1", err, p.Stats())
	}
	gone := func() {
		for r.l.Stats().Sessions > 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	x.Session().Close()
	gone()
	before = func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closed = true
		return nil
	}
	if _, err := p.Open(ctx, ""); err != ErrClosed || len(p.sessions) != 0 {
		t.Errorf("closed meanwhile: %v", err)
	}
	gone()
	p.closed = false
	before = func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closed = true
		p.stop()
		return errNobody
	}
	if _, err := p.Open(ctx, ""); err != ErrClosed {
		t.Errorf("closed: got %v, want %v", err, ErrClosed)
	}
	_ = p.Shutdown(ctx)
}
