package tcpmux

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
)

// PoolConfig is how a Pool works. A zero field is its default.
type PoolConfig struct {
	Config
	Sessions int           // the most there may be at a time; default 4
	Channels int           // of a session, at a time; default 1,024
	IdleTime time.Duration // after which a session that has no channels is closed; default 90 s
}

// Pool is a number of sessions to one address, opened when there is need for them. The one used last is used first. A
// session that has no connection is passed over if there is another. All methods may be called concurrently.
type Pool struct {
	url  string
	cfg  PoolConfig
	ctx  context.Context // ends with Close
	stop context.CancelFunc

	mu       sync.Mutex
	sessions []*pooled // the one used last is the last
	dialling int
	changed  chan struct{} // closed when there is perhaps room
	running  sync.WaitGroup
	closed   bool
}

// pooled is a session of a pool.
type pooled struct {
	s    *Session
	used int       // channels, counted by the pool
	idle time.Time // since when there are none
}

// NewPool returns a pool without sessions.
func NewPool(url string, cfg PoolConfig) *Pool {
	defaults.SetLimit(&cfg.Sessions, 4)
	defaults.SetLimit(&cfg.Channels, 1024)
	defaults.SetLimit(&cfg.IdleTime, 90*time.Second)
	p := &Pool{url: url, cfg: cfg, changed: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Open opens a channel in one of the sessions. When all are full it waits, until ctx ends. The error is that of Dial or of
// Session.Open.
func (p *Pool) Open(ctx context.Context, name string) (*Channel, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, ErrClosed
		}
		if x := p.pick(); x != nil {
			x.used++
			p.mu.Unlock()
			c, err := x.s.Open(name)
			var end *EndError
			switch {
			case err == nil:
				c.onOver(func() { p.leave(x) })
				return c, nil
			case !errors.As(err, &end):
				p.leave(x)
				return nil, err
			}
			p.mu.Lock()
			p.remove(x) // it has ended, or is about to: nobody is given it any more
			p.mu.Unlock()
			continue
		}
		changed := p.changed
		if p.cfg.Sessions == 0 || len(p.sessions)+p.dialling < p.cfg.Sessions {
			p.dialling++
			p.mu.Unlock()
			if err := p.dial(ctx); err != nil {
				return nil, err
			}
			continue
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pick returns the session that is to be used next, nil if all are full; p.mu is held.
func (p *Pool) pick() *pooled {
	best := -1
	for i := len(p.sessions) - 1; i >= 0; i-- {
		x := p.sessions[i]
		if p.cfg.Channels > 0 && x.used >= p.cfg.Channels || x.s.Err() != nil {
			continue
		}
		if x.s.Connected() {
			best = i
			break
		}
		if best < 0 {
			best = i
		}
	}
	if best < 0 || !p.sessions[best].s.Connected() && (p.cfg.Sessions == 0 || len(p.sessions)+p.dialling < p.cfg.Sessions) {
		return nil // another one may do better
	}
	x := p.sessions[best]
	p.sessions = append(append(p.sessions[:best:best], p.sessions[best+1:]...), x)
	return x
}

// dial opens another session. p.dialling counts it.
func (p *Pool) dial(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	s, err := Dial(ctx, p.url, p.cfg.Config)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialling--
	p.signal()
	if err != nil {
		if p.closed {
			err = ErrClosed
		}
		return err
	}
	if p.closed {
		s.Abort()
		return ErrClosed
	}
	x := &pooled{s: s, idle: time.Now()}
	p.sessions = append(p.sessions, x)
	p.running.Go(func() { p.watch(x) })
	return nil
}

// signal has those look again who wait; p.mu is held.
func (p *Pool) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// leave says that a channel of x is over.
func (p *Pool) leave(x *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.used--; x.used == 0 {
		x.idle = time.Now()
	}
	p.signal()
}

// watch takes x out of the pool when it has ended, and closes it when it was idle for too long.
func (p *Pool) watch(x *pooled) {
	var tick <-chan time.Time
	if p.cfg.IdleTime > 0 {
		t := time.NewTicker(max(p.cfg.IdleTime/4, time.Millisecond))
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-x.s.Done():
			p.mu.Lock()
			p.remove(x)
			p.mu.Unlock()
			return
		case <-tick:
		}
		p.mu.Lock()
		idle := x.used == 0 && time.Since(x.idle) >= p.cfg.IdleTime
		if idle {
			p.remove(x) // nobody is given it any more
		}
		p.mu.Unlock()
		if idle {
			x.s.Close(p.ctx)
			return
		}
	}
}

// remove takes x out of the pool; p.mu is held.
func (p *Pool) remove(x *pooled) {
	for i, y := range p.sessions {
		if y == x {
			p.sessions = append(p.sessions[:i:i], p.sessions[i+1:]...)
			p.signal()
			return
		}
	}
}

// DialContext is Session.DialContext in one of the sessions.
func (p *Pool) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := p.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	return c.Conn(), nil
}

// PoolStats are the counters of a Pool.
type PoolStats struct {
	Sessions, Connected int // at the moment
	Channels            int
}

// Stats returns the counters as they are now.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := PoolStats{Sessions: len(p.sessions)}
	for _, x := range p.sessions {
		st.Channels += x.used
		if x.s.Connected() {
			st.Connected++
		}
	}
	return st
}

// Close closes all sessions as Session.Close does, and waits until they have ended.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	all := append([]*pooled(nil), p.sessions...)
	p.signal()
	p.mu.Unlock()
	var closing sync.WaitGroup
	for _, x := range all {
		closing.Go(func() { x.s.Close(ctx) })
	}
	closing.Wait()
	p.stop()
	p.running.Wait()
	return nil
}
