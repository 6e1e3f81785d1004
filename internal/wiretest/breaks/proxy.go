// Package breaks is a network within a test's process that breaks when it is told to: a proxy for TCP whose connections can
// be cut, reset, held back, slowed, and left behind half open. Only tests import it.
package breaks

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy carries TCP connections to a server, until it is told otherwise. All methods may be called concurrently.
type Proxy struct {
	l   net.Listener
	all sync.WaitGroup

	mu       sync.Mutex
	target   string
	links    map[*link]bool
	resumed  chan struct{} // closed when bytes are carried again; nil when they are
	refuse   bool
	delay    time.Duration
	rate     int
	after    int64 // a new connection is reset behind so many bytes; 0 is never
	accepted int
	closed   bool
	done     chan struct{}
}

// New returns a proxy before the server at target, on a port of its own. It ends with the test.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{l: l, target: target, links: map[*link]bool{}, done: make(chan struct{})}
	p.all.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// SetTarget has new connections go to another server.
func (p *Proxy) SetTarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

// Refuse has new connections reset at once, or not any more.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = on
}

// Blackhole holds back whatever is sent, in both directions, also the ends of connections; connections that are opened
// meanwhile are silent. When it is over everything goes on.
func (p *Proxy) Blackhole(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.resumed == nil:
		p.resumed = make(chan struct{})
	case !on && p.resumed != nil:
		close(p.resumed)
		p.resumed = nil
	}
}

// Delay has what is sent arrive later by d.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Rate has at most so many bytes a second carried in each direction of a connection; 0 is no bound.
func (p *Proxy) Rate(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = bytes
}

// CutAfter has each new connection reset when it has carried so many bytes, in both directions together; 0 is never.
func (p *Proxy) CutAfter(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = bytes
}

// Accepted tells how many connections there have been.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Live tells how many connections there are, of whichever side.
func (p *Proxy) Live() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Cut ends all connections of this moment, and tells how many. What is on its way is lost.
func (p *Proxy) Cut(how How) int {
	p.mu.Lock()
	var cut []*link
	for l := range p.links {
		if !l.ghost {
			cut = append(cut, l)
		}
	}
	for _, l := range cut {
		l.ghost = how == Ghost
	}
	p.mu.Unlock()
	for _, l := range cut {
		l.cut(how)
	}
	return len(cut)
}

// Exorcise ends the server's ends of connections that Cut has left as ghosts.
func (p *Proxy) Exorcise() {
	p.mu.Lock()
	var ghosts []*link
	for l := range p.links {
		if l.ghost {
			ghosts = append(ghosts, l)
		}
	}
	p.mu.Unlock()
	for _, l := range ghosts {
		l.cut(Reset)
	}
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	close(p.done)
	p.mu.Unlock()
	p.l.Close()
	p.Blackhole(false)
	p.Cut(Reset)
	p.Exorcise()
	p.all.Wait()
}

func (p *Proxy) accept() {
	for {
		nc, err := p.l.Accept()
		if err != nil {
			return
		}
		client := nc.(*net.TCPConn)
		p.mu.Lock()
		p.accepted++
		refuse := p.refuse || p.closed
		p.mu.Unlock()
		if refuse {
			reset(client)
			continue
		}
		p.all.Go(func() { p.join(client) })
	}
}

// weather is how the network is at the moment. It waits while nothing is carried.
func (p *Proxy) conditions() (delay time.Duration, rate int) {
	for {
		p.mu.Lock()
		delay, rate, dark := p.delay, p.rate, p.resumed
		p.mu.Unlock()
		if dark == nil {
			return delay, rate
		}
		select {
		case <-dark:
		case <-p.done:
			return 0, 0
		}
	}
}
