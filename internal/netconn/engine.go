package netconn

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Engine runs the connections of any number of listeners. All methods may be called concurrently.
type Engine struct {
	core
	handshakers handshakers
	listeners   map[*net.Listener]bool // by address: a listener need not be comparable; true: closed; under core.mu
}

// New returns an engine with no listener.
func New(cfg Config) *Engine {
	e := &Engine{listeners: map[*net.Listener]bool{}}
	e.handshakers.init()
	e.cfg = cfg.withDefaults()
	e.clock = e.cfg.Clock
	e.changed = sync.NewCond(&e.mu)
	return e
}

// Now is the time, at most a tick (5 ms) behind.
func (e *Engine) Now() time.Time { return e.clock.Wall() }

// Links returns the connections of this moment. Some of them may be over when they are looked at.
func (e *Engine) Links() []*Link { return e.links() }

// Run runs nc, a connection from elsewhere from which ahead has been read already, as Serve runs those it accepts; its
// end is the engine's from now on. begin is called first, on the connection's goroutine, and returns its Protocol. It
// returns ErrShutdown, with nc closed, when the engine ends. Of a *tls.Conn Pull tells.
func (e *Engine) Run(nc net.Conn, ahead []byte, begin func(c *Conn) (Protocol, error)) error {
	c := e.newConn(nc, true)
	if !e.add(&c.Link) {
		c.refuse(nc)
		return ErrShutdown
	}
	c.attachRunning()
	c.keep(ahead, e.cfg.ReadBuffer)
	c.launch(begin)
	return nil
}

// newConn returns a Conn over nc; with raw a socket of the standard library's is used by its descriptor.
func (e *Engine) newConn(nc net.Conn, raw bool) *Conn {
	c := &Conn{state: -1}
	c.Link.init(&e.core, c, nc, raw && e.cfg.Loop == Auto)
	return c
}

// accept begins the life of a connection that came from l.
func (e *Engine) accept(nc net.Conn, l net.Listener, tlsCfg *tls.Config) {
	c := e.newConn(nc, isOwn(l))
	if !e.add(&c.Link) {
		nc.Close()
		return
	}
	if tlsCfg != nil {
		c.tr.Secure(tls.Server, tlsCfg)
	}
	c.setState(StateNew) // before another is accepted, and before Serve returns
	if c.tr.NeedsHandshake() {
		e.handshakers.handle(handshakeConn{c, l})
		return
	}
	c.launch(accepted(l))
}

// isOwn reports whether what l accepts is the engine's alone. A listener of the program's own may keep what it has
// accepted: to close it there would wait for the latch, and a deadline that is set there would not be seen inside it.
func isOwn(l net.Listener) bool {
	switch l := l.(type) {
	case *net.TCPListener, *net.UnixListener:
		return true
	case *Labelled:
		return isOwn(l.Listener)
	}
	return false
}

// Shutdown stops accepting, ends the connections that are idle, has those whose Protocol or Owner drains say goodbye, lets
// the others finish what they do (Draining is true for them) and waits for all until ctx ends, when it returns ctx's
// error. Connections that have sent nothing yet are idle after Config.FirstGrace.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.StopAccepting()
	for _, l := range e.links() {
		l.parent.drain()
	}
	stop := context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})
	defer stop()
	e.mu.Lock()
	for e.count > 0 && ctx.Err() == nil {
		e.changed.Wait()
	}
	left := e.count
	e.mu.Unlock()
	if left > 0 {
		return ctx.Err()
	}
	return nil
}

// Close stops accepting and ends every connection now. It does not wait for what Data does.
func (e *Engine) Close() error {
	e.StopAccepting()
	e.AbortAll()
	return nil
}

// AbortAll ends the connections of this moment as Close does, and goes on accepting.
func (e *Engine) AbortAll() {
	for _, l := range e.links() {
		l.Abort()
	}
}

// StopAccepting is the first half of Shutdown: the listeners are closed, each once, and Draining is true from then on.
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
	e.handshakers.stopIdle()
	e.stopIfUnused()
	e.changed.Broadcast()
}
