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
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Key identifies connections that can be used in place of each other.
type Key struct {
	Secure bool   // TLS
	Host   string // with its port, unless that is the scheme's default
	Via    string // URL of the proxy; empty for none
	Only   bool   // the connection may use only HTTP/2
}

// Pool holds the connections of a client. Its fields are set before it is used. All methods may be called concurrently.
type Pool struct {
	// Dial opens a connection for key, with New and the pool's Gone. ctx holds the values of the request that caused the
	// dial, and is canceled when no request waits for the connection any more.
	Dial func(ctx context.Context, key Key) (*Conn, error)
	// Strict makes requests wait for room instead of opening further connections.
	Strict bool
	// MaxConns bounds the connections for one key, including those that are being opened; 0 is no bound.
	MaxConns int
	// WaitTimeout bounds the wait for a connection, or for room on one; 0 is no bound.
	WaitTimeout time.Duration

	mu     sync.Mutex
	hosts  map[Key]*hostPool
	slower map[Key]uint8 // of pings, for servers that want fewer
	closed bool
}

// hostPool holds the connections of one Key.
type hostPool struct {
	conns   []*Conn
	dialing *pendingDial
}

// pendingDial is a connection that is being opened.
type pendingDial struct {
	done    chan struct{}
	conn    *Conn // the result, once done is closed
	err     error
	waiters int
	cancel  context.CancelFunc
}

// ErrWaitTimeout is returned by Start after Pool.WaitTimeout.
var ErrWaitTimeout error = timeoutError("http: timeout waiting for a connection")

// ErrClosed is returned by Start after Close.
var ErrClosed = errors.New("h2client: the pool is closed")

// Start begins a request on a connection for key. It opens a connection if there is none with room. waits, unless nil, is
// called when the request has to wait; it returns a context derived from ctx, which bounds the wait.
func (p *Pool) Start(ctx context.Context, key Key, x *Exchange, head carrier.Section, sends bool, waits func(context.Context) context.Context) error {
	bounded := false
	for opened, refused := 0, 0; ; {
		c, wait, pending := p.find(ctx, key, opened < maxDials)
		if (c == nil || wait) && !bounded {
			var cancel context.CancelFunc
			ctx, cancel = p.bound(ctx, waits)
			defer cancel()
			bounded = true
		}
		if c == nil {
			if pending == nil {
				return ErrClosed
			}
			if err := p.await(ctx, key, pending); err != nil {
				return err
			}
			opened++
			if c = pending.conn; !c.Usable() { // it ended before it could be used
				if refused++; refused > maxRefused {
					return c.reason(http2.ErrGoingAway)
				}
			}
			continue
		}
		begun, err := c.Start(x, head, sends, wait, ctx.Done())
		switch {
		case begun:
			return nil
		case err == nil:
			return context.Cause(ctx)
		case !Unprocessed(err):
			return err
		case err != ErrFull:
			if refused++; refused > maxRefused {
				return c.reason(err)
			}
		}
	}
}

// bound returns the context for a wait; waits may be nil.
func (p *Pool) bound(ctx context.Context, waits func(context.Context) context.Context) (context.Context, context.CancelFunc) {
	if waits != nil {
		ctx = waits(ctx)
	}
	if p.WaitTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, p.WaitTimeout, ErrWaitTimeout)
}

const (
	maxDials   = 3 // connections that a request opens and finds full; then it waits for room on one
	maxRefused = 3 // connections that end before the request begins on them
)

// reason returns why no request could begin on c; err if c gives no reason.
func (c *Conn) reason(err error) error {
	c.Lock()
	defer c.Unlock()
	if c.goAway != nil {
		return c.goAway
	}
	if c.ErrLocked() != nil || c.EndedLocked() {
		return fmt.Errorf("http2: the server closes new connections: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// find returns a connection with room; or with wait set, a connection to wait for; or a dial to wait for. With more it
// prefers opening another connection to waiting for room, as far as the pool's limits allow.
func (p *Pool) find(ctx context.Context, key Key, more bool) (c *Conn, wait bool, pending *pendingDial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nil
	}
	host := p.hosts[key]
	if host == nil {
		if p.hosts == nil {
			p.hosts = map[Key]*hostPool{}
		}
		host = new(hostPool)
		p.hosts[key] = host
	}
	var usable *Conn
	for _, c := range host.conns {
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
	if usable != nil && (!more || p.Strict || p.MaxConns > 0 && len(host.conns) >= p.MaxConns) {
		return usable, true, nil
	}
	if host.dialing == nil {
		p.dialLocked(ctx, key, host)
	}
	host.dialing.waiters++
	return nil, false, host.dialing
}

// hasRoom reports whether a request can begin without waiting.
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

// dialLocked opens a connection on a new goroutine.
func (p *Pool) dialLocked(ctx context.Context, key Key, host *hostPool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d := &pendingDial{done: make(chan struct{}), cancel: cancel}
	host.dialing = d
	go func() {
		defer cancel()
		c, err := p.Dial(ctx, key)
		p.mu.Lock()
		d.conn, d.err = c, err
		if host.dialing == d {
			host.dialing = nil
		}
		unwanted := p.closed
		if c != nil {
			current := p.hosts[key] // another one if this one was dropped meanwhile
			if current == nil {
				current = host
				p.hosts[key] = host
			}
			c.setSlower(p.slower[key])
			current.conns = append(current.conns, c)
		}
		p.dropLocked(key)
		p.mu.Unlock()
		close(d.done)
		switch {
		case c == nil:
		case unwanted:
			c.Abort()
		case !c.Usable():
			p.Gone(c) // it ended before it was in the pool
		}
	}()
}

// await waits for a dial. It cancels the dial if ctx ends and no other request waits for it.
func (p *Pool) await(ctx context.Context, key Key, d *pendingDial) error {
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.waiters--; d.waiters == 0 {
		d.cancel()
		if host := p.hosts[key]; host != nil && host.dialing == d {
			host.dialing = nil
		}
	}
	return context.Cause(ctx)
}

// dropLocked removes the hostPool of key if it is empty.
func (p *Pool) dropLocked(key Key) {
	if host := p.hosts[key]; host != nil && host.dialing == nil && len(host.conns) == 0 {
		delete(p.hosts, key)
	}
}

// Warm opens a connection for key if there is none.
func (p *Pool) Warm(ctx context.Context, key Key) error {
	c, _, pending := p.find(ctx, key, false)
	if pending != nil {
		if err := p.await(ctx, key, pending); err != nil {
			return err
		}
		c = pending.conn
	}
	if c == nil {
		return ErrClosed
	}
	c.warm.Store(true)
	return nil
}

// Add puts a connection that was opened elsewhere into the pool.
func (p *Pool) Add(key Key, c *Conn) {
	p.mu.Lock()
	if p.hosts == nil {
		p.hosts = map[Key]*hostPool{}
	}
	host := p.hosts[key]
	if host == nil {
		host = new(hostPool)
		p.hosts[key] = host
	}
	c.setSlower(p.slower[key])
	host.conns = append(host.conns, c)
	closed := p.closed
	p.mu.Unlock()
	switch {
	case closed:
		c.Abort()
	case !c.Usable():
		p.Gone(c) // it ended before it was in the pool
	}
}

// Gone removes a connection that takes no more requests.
func (p *Pool) Gone(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, host := range p.hosts {
		if i := slices.Index(host.conns, c); i >= 0 {
			host.conns = slices.Delete(host.conns, i, i+1)
			p.noteSlowerLocked(key, c)
			p.dropLocked(key)
		}
	}
}

// Has reports whether there is a connection for key that takes requests.
func (p *Pool) Has(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	host := p.hosts[key]
	return host != nil && slices.ContainsFunc(host.conns, (*Conn).Usable)
}

// Knows reports whether there is a connection for key, or one is being opened for requests that wait for it.
func (p *Pool) Knows(key Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hosts[key] != nil
}

// Oldest returns the connection that has been idle for the longest time, and since when by its clock; nil if all are in
// use.
func (p *Pool) Oldest() (oldest *Conn, since int64) {
	for _, c := range p.all() {
		if at, idle := c.idleSince(); idle && (oldest == nil || at < since) {
			oldest, since = c, at
		}
	}
	return oldest, since
}

// CloseIdle closes the connections that have no requests.
func (p *Pool) CloseIdle() {
	for _, c := range p.all() {
		c.CloseIfIdle()
	}
}

// Close closes all connections at once: requests that have begun fail, and no more begin.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for _, c := range p.all() {
		c.Abort()
	}
}

// all returns the connections that are in the pool now.
func (p *Pool) all() (conns []*Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, host := range p.hosts {
		conns = append(conns, host.conns...)
	}
	return conns
}
