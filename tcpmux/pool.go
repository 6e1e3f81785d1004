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

// PoolConfig configures a Pool. A zero field means its default. Config.IdleTimeout is the time after which a session without
// channels of the pool is closed; its default is 90 s in a Pool.
type PoolConfig struct {
	Config
	Sessions int // maximum number of sessions; default 4
	Channels int // maximum number of channels in a session, at most Config.MaxChannels; default 1,024
}

// Pool keeps sessions to one address and opens them as they are needed. The most recently used session is preferred, and a
// connected one over a disconnected one. All methods may be called concurrently.
type Pool struct {
	url  string
	cfg  PoolConfig
	idle time.Duration   // after which a session without channels is closed; 0: never
	ctx  context.Context // done after Shutdown or Close
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
	idle := cfg.IdleTimeout
	defaults.SetLimit(&idle, 90*time.Second)
	cfg.IdleTimeout = -1 // the pool closes its sessions itself, so that it does not open channels in them meanwhile
	if most := cfg.Config.settings().MaxChannels; cfg.Channels == 0 || cfg.Channels > most {
		cfg.Channels = most
	}
	p := &Pool{url: url, cfg: cfg, idle: idle, changed: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// Open opens a channel in one of the sessions. If all are full it waits until one has room or ctx is done. The error is
// ErrTooManyChannels if a session is full because the peer has opened channels, too, and no other session has room. Other errors are
// those of Dial and Session.Open.
func (p *Pool) Open(ctx context.Context, name string) (*Channel, error) {
	var full []*pooled // sessions in which Open has failed with ErrTooManyChannels
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, ErrClosed
		}
		if x := p.pickLocked(full); x != nil {
			x.channels++
			p.mu.Unlock()
			c, err := x.s.Open(name)
			var end *EndError
			switch {
			case err == nil:
				c.afterDone(func() { p.release(x) })
				return c, nil
			case err == ErrTooManyChannels:
				full = append(full, x)
				p.release(x)
				continue
			case !errors.As(err, &end):
				p.release(x)
				return nil, err
			}
			p.mu.Lock()
			p.removeLocked(x) // the session has ended or is closing: do not pick it again
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
			return nil, ErrTooManyChannels // the pool does not notice when the peer's channels are over
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pickLocked returns the session to use next, or nil if another one should be dialled or all are full. Those in full are not
// picked.
func (p *Pool) pickLocked(full []*pooled) *pooled {
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
	p.wakeWaitersLocked()
	if err != nil {
		if p.closed {
			err = ErrClosed
		}
		return err
	}
	if p.closed {
		_ = s.Close()
		return ErrClosed
	}
	x := &pooled{s: s, idle: time.Now()}
	p.sessions = append(p.sessions, x)
	p.running.Go(func() { p.watch(x) })
	return nil
}

// wakeWaitersLocked wakes the Open calls that wait.
func (p *Pool) wakeWaitersLocked() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// release removes a channel of x that is over from the count.
func (p *Pool) release(x *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x.channels--; x.channels == 0 {
		x.idle = time.Now()
	}
	p.wakeWaitersLocked()
}

// watch removes x from the pool when it has ended, and closes it after Config.IdleTimeout without channels.
func (p *Pool) watch(x *pooled) {
	var tick <-chan time.Time
	if p.idle > 0 {
		t := time.NewTicker(max(p.idle/4, time.Millisecond))
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-x.s.Done():
			p.mu.Lock()
			p.removeLocked(x)
			p.mu.Unlock()
			return
		case <-tick:
		}
		p.mu.Lock()
		idle := x.channels == 0 && time.Since(x.idle) >= p.idle
		if idle {
			p.removeLocked(x) // so that pickLocked does not return it
		}
		p.mu.Unlock()
		if idle {
			_ = x.s.Shutdown(p.ctx)
			return
		}
	}
}

// removeLocked removes x from the pool.
func (p *Pool) removeLocked(x *pooled) {
	for i, y := range p.sessions {
		if y == x {
			p.sessions = append(p.sessions[:i:i], p.sessions[i+1:]...)
			p.wakeWaitersLocked()
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
	Sessions, Connected int64 // now
	Channels            int64
}

// Stats returns the current counters.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := PoolStats{Sessions: int64(len(p.sessions))}
	for _, x := range p.sessions {
		st.Channels += int64(x.channels)
		if x.s.Connected() {
			st.Connected++
		}
	}
	return st
}

// Shutdown closes all sessions as Session.Shutdown does, and waits until they have ended. The error is ctx's if it was done
// before; then what was not delivered is lost.
func (p *Pool) Shutdown(ctx context.Context) error {
	p.end(func(s *Session) { _ = s.Shutdown(ctx) })
	return ctx.Err()
}

// Close ends all sessions at once, as Session.Close does. It returns nil.
func (p *Pool) Close() error {
	p.end(func(s *Session) { _ = s.Close() })
	return nil
}

// end ends the pool, and each of its sessions with f.
func (p *Pool) end(f func(*Session)) {
	p.mu.Lock()
	p.closed = true
	all := append([]*pooled(nil), p.sessions...)
	p.wakeWaitersLocked()
	p.mu.Unlock()
	var ending sync.WaitGroup
	for _, x := range all {
		ending.Go(func() { f(x.s) })
	}
	ending.Wait()
	p.stop()
	p.running.Wait()
}
