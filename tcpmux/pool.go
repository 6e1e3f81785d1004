package tcpmux

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
)

// PoolConfig configures a Pool. A zero field means its default.
type PoolConfig struct {
	Config
	Sessions int           // maximum number of sessions; default 4
	Channels int           // maximum number of channels in a session, at most Config.MaxChannels; default 1,024
	IdleTime time.Duration // a session without channels is closed after this time; default 90 s
}

// Pool keeps sessions to one address and opens them as they are needed. The most recently used session is preferred, and a
// connected one over a disconnected one. All methods may be called concurrently.
type Pool struct {
	url  string
	cfg  PoolConfig
	ctx  context.Context // done after Close
	stop context.CancelFunc

	mu       sync.Mutex
	sessions []*pooled // the most recently used last
	dialling int
	changed  chan struct{} // closed when there may be room for a channel
	running  sync.WaitGroup
	closed   bool
}

// pooled is a session of a pool.
type pooled struct {
	s        *Session
	channels int       // how many the pool has opened in it
	idle     time.Time // since when channels is 0
}

// NewPool returns a pool. It opens sessions when they are needed.
func NewPool(url string, cfg PoolConfig) *Pool {
	defaults.SetLimit(&cfg.Sessions, 4)
	defaults.SetLimit(&cfg.Channels, 1024)
	defaults.SetLimit(&cfg.IdleTime, 90*time.Second)
	if most := cfg.Config.settings().MaxChannels; cfg.Channels == 0 || cfg.Channels > most {
		cfg.Channels = most
	}
	p := &Pool{url: url, cfg: cfg, changed: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Open opens a channel in one of the sessions. If all are full it waits until one has room or ctx is done. The error is
// ErrTooMany if a session is full because the peer has opened channels, too, and no other session has room. Other errors are
// those of Dial and Session.Open.
func (p *Pool) Open(ctx context.Context, name string) (*Channel, error) {
	var full []*pooled // sessions in which Open has failed with ErrTooMany
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, ErrClosed
		}
		if x := p.pick(full); x != nil {
			x.channels++
			p.mu.Unlock()
			c, err := x.s.Open(name)
			var end *EndError
			switch {
			case err == nil:
				c.afterDone(func() { p.release(x) })
				return c, nil
			case err == ErrTooMany:
				full = append(full, x)
				p.release(x)
				continue
			case !errors.As(err, &end):
				p.release(x)
				return nil, err
			}
			p.mu.Lock()
			p.remove(x) // the session has ended or is closing: do not pick it again
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
		if len(full) > 0 {
			return nil, ErrTooMany // the pool does not notice when the peer's channels are over
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pick returns the session to use next, or nil if another one should be dialled or all are full; p.mu is held. Those in full
// are not picked.
func (p *Pool) pick(full []*pooled) *pooled {
	best := -1
	for i := len(p.sessions) - 1; i >= 0; i-- {
		x := p.sessions[i]
		if x.channels >= p.cfg.Channels || x.s.Err() != nil || slices.Contains(full, x) {
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
		return nil // a new session may connect sooner
	}
	x := p.sessions[best]
	p.sessions = append(append(p.sessions[:best:best], p.sessions[best+1:]...), x)
	return x
}

// dial opens another session. The caller has counted it in p.dialling.
func (p *Pool) dial(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	s, err := Dial(ctx, p.url, p.cfg.Config)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialling--
	p.wakeWaiters()
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

// wakeWaiters wakes the Open calls that wait; p.mu is held.
func (p *Pool) wakeWaiters() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// release uncounts a channel of x that is over.
func (p *Pool) release(x *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.channels--; x.channels == 0 {
		x.idle = time.Now()
	}
	p.wakeWaiters()
}

// watch removes x from the pool when it has ended, and closes it after IdleTime without channels.
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
		idle := x.channels == 0 && time.Since(x.idle) >= p.cfg.IdleTime
		if idle {
			p.remove(x) // so that pick does not return it
		}
		p.mu.Unlock()
		if idle {
			x.s.Close(p.ctx)
			return
		}
	}
}

// remove removes x from the pool; p.mu is held.
func (p *Pool) remove(x *pooled) {
	for i, y := range p.sessions {
		if y == x {
			p.sessions = append(p.sessions[:i:i], p.sessions[i+1:]...)
			p.wakeWaiters()
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
	Sessions, Connected int // now
	Channels            int
}

// Stats returns the current counters.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := PoolStats{Sessions: len(p.sessions)}
	for _, x := range p.sessions {
		st.Channels += x.channels
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
	p.wakeWaiters()
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
