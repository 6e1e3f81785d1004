package h2client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// Key is what connections can be used in place of each other for.
type Key struct {
	Secure bool   // TLS
	Host   string // with its port, unless it is the scheme's
	Via    string // the proxy, as a URL; empty for none
	Only   bool   // nothing but HTTP/2 is spoken
}

// Pool holds the connections of a client. Its fields are set before it is used. All methods may be called concurrently.
type Pool struct {
	// Dial opens a connection for key; its Conn is made by New with the pool's Gone. ctx holds the values of the request
	// that asked first, and ends when nobody waits any more.
	Dial func(ctx context.Context, key Key) (*Conn, error)
	// Strict has requests wait for room instead of opening further connections.
	Strict bool
	// MaxConns bounds the connections to one place, with those that are being opened; 0 is no bound.
	MaxConns int
	// WaitTimeout bounds the wait for a connection, or for room on one; 0 is no bound.
	WaitTimeout time.Duration

	mu     sync.Mutex
	places map[Key]*place
	closed bool
}

// place is what a Pool has for one Key.
type place struct {
	conns []*Conn
	call  *call
}

// call is a connection that is being opened.
type call struct {
	done    chan struct{}
	conn    *Conn // what came of it, once done is closed
	err     error
	waiters int
	cancel  context.CancelFunc
}

// ErrWaitTimeout is what Start says after Pool.WaitTimeout.
var ErrWaitTimeout error = timeoutError("http: timeout waiting for a connection")

// ErrClosed is what Start says after Close.
var ErrClosed = errors.New("h2client: the pool is closed")

// Start begins a request on a connection for key, and opens one if there is none with room.
func (p *Pool) Start(ctx context.Context, key Key, x *Exchange, r Request, sends bool) error {
	bounded := p.WaitTimeout <= 0
	for opened, refused := 0, 0; ; {
		c, wait, called := p.find(ctx, key, opened < mostOpened)
		if (c == nil || wait) && !bounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, p.WaitTimeout, ErrWaitTimeout)
			defer cancel()
			bounded = true
		}
		if c == nil {
			if called == nil {
				return ErrClosed
			}
			if err := p.await(ctx, key, called); err != nil {
				return err
			}
			opened++
			if c = called.conn; !c.Usable() { // it ended before it was known
				if refused++; refused > mostRefused {
					return c.reason(http2.ErrGoingAway)
				}
			}
			continue
		}
		begun, err := c.Start(x, r, sends, wait, ctx.Done())
		switch {
		case begun:
			return nil
		case err == nil:
			return context.Cause(ctx)
		case !Untouched(err):
			return err
		case err != ErrFull:
			if refused++; refused > mostRefused {
				return c.reason(err)
			}
		}
	}
}

const (
	mostOpened  = 3 // connections that a request waits for in vain; then it waits for room on one
	mostRefused = 3 // connections that end as a request is to begin
)

// reason returns why no request could begin, which was err.
func (c *Conn) reason(err error) error {
	c.Lock()
	defer c.Unlock()
	if c.goAway != nil {
		return c.goAway
	}
	if c.Err() != nil || c.Ended() {
		return fmt.Errorf("http2: the server closes new connections: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// find returns a connection with room; or one that is to be waited for; or a call that is, unless there is something to
// wait for already and more is false.
func (p *Pool) find(ctx context.Context, key Key, more bool) (c *Conn, wait bool, called *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nil
	}
	pl := p.places[key]
	if pl == nil {
		if p.places == nil {
			p.places = map[Key]*place{}
		}
		pl = new(place)
		p.places[key] = pl
	}
	var usable *Conn
	for _, c := range pl.conns {
		if !c.Usable() {
			continue
		}
		if c.hasRoom() {
			return c, false, nil
		}
		if usable == nil || c.waiting() < usable.waiting() {
			usable = c
		}
	}
	if usable != nil && (!more || p.Strict || p.MaxConns > 0 && len(pl.conns) >= p.MaxConns) {
		return usable, true, nil
	}
	if pl.call == nil {
		p.dial(ctx, key, pl)
	}
	pl.call.waiters++
	return nil, false, pl.call
}

// hasRoom reports whether a request would not have to wait.
func (c *Conn) hasRoom() bool {
	c.Lock()
	defer c.Unlock()
	return c.queue.mayPass(c)
}

// waiting returns how many requests wait for room.
func (c *Conn) waiting() int {
	c.Lock()
	defer c.Unlock()
	return len(c.queue.waiting)
}

// dial opens a connection on a goroutine of its own. The lock is held.
func (p *Pool) dial(ctx context.Context, key Key, pl *place) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k := &call{done: make(chan struct{}), cancel: cancel}
	pl.call = k
	go func() {
		defer cancel()
		c, err := p.Dial(ctx, key)
		p.mu.Lock()
		k.conn, k.err = c, err
		if pl.call == k {
			pl.call = nil
		}
		unwanted := p.closed
		if c != nil {
			now := p.places[key] // another one if nobody has waited meanwhile
			if now == nil {
				now = pl
				p.places[key] = pl
			}
			now.conns = append(now.conns, c)
		}
		p.drop(key)
		p.mu.Unlock()
		close(k.done)
		switch {
		case c == nil:
		case unwanted:
			c.Abort()
		case !c.Usable():
			p.Gone(c) // it was over before it was known
		}
	}()
}

// await waits for a call.
func (p *Pool) await(ctx context.Context, key Key, k *call) error {
	select {
	case <-k.done:
		return k.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.waiters--; k.waiters == 0 {
		k.cancel()
		if pl := p.places[key]; pl != nil && pl.call == k {
			pl.call = nil
		}
	}
	return context.Cause(ctx)
}

// drop forgets a place that has nothing. The lock is held.
func (p *Pool) drop(key Key) {
	if pl := p.places[key]; pl != nil && pl.call == nil && len(pl.conns) == 0 {
		delete(p.places, key)
	}
}

// Warm has a connection for key, and opens one if there is none.
func (p *Pool) Warm(ctx context.Context, key Key) error {
	c, _, called := p.find(ctx, key, false)
	switch {
	case called != nil:
		return p.await(ctx, key, called)
	case c == nil:
		return ErrClosed
	}
	return nil
}

// Add puts a connection that was opened elsewhere among those for key.
func (p *Pool) Add(key Key, c *Conn) {
	p.mu.Lock()
	if p.places == nil {
		p.places = map[Key]*place{}
	}
	pl := p.places[key]
	if pl == nil {
		pl = new(place)
		p.places[key] = pl
	}
	pl.conns = append(pl.conns, c)
	closed := p.closed
	p.mu.Unlock()
	switch {
	case closed:
		c.Abort()
	case !c.Usable():
		p.Gone(c) // it was over before it was known
	}
}

// Gone forgets a connection: it takes no more requests.
func (p *Pool) Gone(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, pl := range p.places {
		if i := slices.Index(pl.conns, c); i >= 0 {
			pl.conns = slices.Delete(pl.conns, i, i+1)
			p.drop(key)
		}
	}
}

// Has reports whether there is a connection to a place that takes requests.
func (p *Pool) Has(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	pl := p.places[key]
	return pl != nil && slices.ContainsFunc(pl.conns, (*Conn).Usable)
}

// Oldest returns the connection that has had no requests for the longest time, and since when by its clock; nil if all have
// some.
func (p *Pool) Oldest() (oldest *Conn, since int64) {
	for _, c := range p.all() {
		if at, idle := c.idleSince(); idle && (oldest == nil || at < since) {
			oldest, since = c, at
		}
	}
	return oldest, since
}

// CloseIdle ends the connections that have no requests.
func (p *Pool) CloseIdle() {
	for _, c := range p.all() {
		c.CloseIfIdle()
	}
}

// Close has no more requests begun, and those that are under way fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for _, c := range p.all() {
		c.Abort()
	}
}

// all returns the connections of this moment.
func (p *Pool) all() (conns []*Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pl := range p.places {
		conns = append(conns, pl.conns...)
	}
	return conns
}
