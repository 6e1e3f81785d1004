package h2client

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

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
	slower slowed
	closed bool
}

// ErrClosed is returned by Start after Close.
var ErrClosed = errors.New("h2client: the pool is closed")

// Add puts a connection that was opened elsewhere into the pool.
func (p *Pool) Add(key Key, c *Conn) {
	p.mu.Lock()
	p.addLocked(key, c)
	closed := p.closed
	p.mu.Unlock()
	p.added(c, closed)
}

// addLocked puts c into the pool. The caller must call added.
func (p *Pool) addLocked(key Key, c *Conn) {
	c.setSlower(p.slower[key])
	host := p.hostLocked(key)
	host.conns = append(host.conns, c)
}

// added is called without the lock after addLocked. closed reports whether the pool was closed at that time.
func (p *Pool) added(c *Conn, closed bool) {
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
			if n, slower := c.nextSlower(); slower {
				p.slower.note(key, n)
			}
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

// hostLocked returns the hostPool of key, which it makes if there is none.
func (p *Pool) hostLocked(key Key) *hostPool {
	host := p.hosts[key]
	if host == nil {
		if p.hosts == nil {
			p.hosts = map[Key]*hostPool{}
		}
		host = new(hostPool)
		p.hosts[key] = host
	}
	return host
}

// dropLocked removes the hostPool of key if it is empty.
func (p *Pool) dropLocked(key Key) {
	if host := p.hosts[key]; host != nil && host.dialing == nil && len(host.conns) == 0 {
		delete(p.hosts, key)
	}
}
