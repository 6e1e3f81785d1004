package netconn

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/deepstack"
	"github.com/shockwave-go/shockwave/internal/core/netlisten"
)

// Engine runs the connections of any number of listeners. All methods may be called concurrently.
type Engine struct {
	core
	cfg         Config
	handshakers deepstack.Workers
	listeners   map[*net.Listener]bool // keyed by address: a listener need not be comparable; true: closed; guarded by core.mu
}

// New returns an engine with no listener.
func New(cfg Config) *Engine {
	e := &Engine{listeners: map[*net.Listener]bool{}}
	e.handshakers.Init()
	e.cfg = cfg.withDefaults()
	e.limits, e.clock, e.log = e.cfg.limits(), e.cfg.Clock, e.cfg.Logger
	e.changed = sync.NewCond(&e.mu)
	return e
}

// Wall returns the time of day, at most a tick (5 ms) old: see clock.Clock.Wall.
func (e *Engine) Wall() time.Time { return e.clock.Wall() }

// Moment returns the time of the engine's clock in nanoseconds, at most a tick old. It is never 0.
func (e *Engine) Moment() int64 { return e.clock.Now() }

// AfterFunc calls f on a goroutine of its own when d has passed. Time during which the process did not run does not count. An
// engine that has ended calls nothing.
func (e *Engine) AfterFunc(d time.Duration, f func()) *Timer { return e.clock.AfterFunc(d, f) }

// Links returns the connections that are open at this moment. Some may have ended when the caller looks at them.
func (e *Engine) Links() []*Link {
	readers := e.readers()
	links := make([]*Link, len(readers))
	for i, r := range readers {
		links[i] = r.(interface{ self() *Link }).self()
	}
	return links
}

// Run serves nc, a connection that the engine has not accepted, as Serve does with those it accepts. ahead has been
// read from nc already. The engine closes nc in the end. begin is called first, on the connection's goroutine, and
// returns the Protocol. If the engine has ended, Run closes nc and returns ErrShutdown. For a *tls.Conn see Pull.
func (e *Engine) Run(nc net.Conn, ahead []byte, begin func(c *Conn) (Protocol, error)) error {
	c := e.newConn(nc, true)
	if !e.add(&c.line) {
		c.refuse(nc)
		return ErrShutdown
	}
	c.attachRunning()
	c.in.Keep(ahead, e.readBuffer)
	c.launch(begin)
	return nil
}

// Pull returns a Pulled on nc. ahead has been read from nc already. If the engine has ended, Pull closes nc and returns
// ErrShutdown.
//
// A *tls.Conn that comes from TLSClient or from Hijack runs on the net.Conn below it. Any other *tls.Conn is used as
// the transport itself: it cannot use the lot, and no longer works after a deadline has cut a write.
func (e *Engine) Pull(nc net.Conn, ahead []byte, user Owner) (*Pulled, error) {
	p := newPulled(&e.core, nc, e.cfg.Loop == Auto, user)
	if !e.add(&p.line) {
		p.refuse(nc)
		return nil, ErrShutdown
	}
	p.in.Keep(ahead, e.readBuffer)
	return p, nil
}

// newConn returns a Conn over nc. With raw, a socket of the standard library is used by its descriptor.
func (e *Engine) newConn(nc net.Conn, raw bool) *Conn {
	return newConn(&e.core, &e.cfg, nc, raw && e.cfg.Loop == Auto)
}

// start starts a connection that was accepted from l.
func (e *Engine) start(nc net.Conn, l net.Listener, tlsCfg *tls.Config) {
	c := e.newConn(nc, netlisten.IsOwn(l))
	if tlsCfg != nil {
		c.tr.Secure(tls.Server, tlsCfg)
	}
	handshakes := c.tr.NeedsHandshake()
	c.handshaking = handshakes
	if !e.add(&c.line) {
		nc.Close()
		return
	}
	c.setState(StateNew) // before another connection is accepted, and before Serve returns
	if handshakes {
		e.handshakers.Do(handshake{c, l})
		return
	}
	c.launch(accepted(l))
}

// Shutdown stops accepting and ends idle connections. It calls Drain where the Protocol or Owner implements it; other
// busy connections finish their message, and Draining is true for them. Shutdown waits until all connections have
// ended but those for which DoNotAwait was called, or until ctx is done and then returns ctx's error. A connection that has
// not sent anything yet counts as idle after Config.FirstGrace.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.StopAccepting()
	for _, r := range e.readers() {
		r.drain()
	}
	stop := context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})
	defer stop()
	e.mu.Lock()
	for e.count > e.unawaited && ctx.Err() == nil {
		e.changed.Wait()
	}
	left := e.count - e.unawaited
	e.mu.Unlock()
	if left > 0 {
		return ctx.Err()
	}
	return nil
}

// Close stops accepting and aborts every connection. It does not wait for a running Data to return.
func (e *Engine) Close() error {
	e.StopAccepting()
	e.AbortAll()
	return nil
}

// AbortAll aborts the connections that are open at this moment. The engine goes on accepting.
func (e *Engine) AbortAll() {
	for _, l := range e.Links() {
		l.Abort()
	}
}

// StopAccepting is the first step of Shutdown: it closes each listener once and makes Draining true.
func (e *Engine) StopAccepting() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining.Store(true)
	for l, closed := range e.listeners {
		if !closed {
			e.listeners[l] = true
			(*l).Close()
		}
	}
	e.handshakers.StopIdle()
	e.stopIfUnusedLocked()
	e.changed.Broadcast()
}
