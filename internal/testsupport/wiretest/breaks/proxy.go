// Package breaks simulates a broken network: a TCP proxy whose connections can be cut, reset, held back, slowed down,
// and left half open. Only tests import it.
package breaks

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy forwards TCP connections to a server. All methods may be called concurrently.
type Proxy struct {
	l   net.Listener
	all sync.WaitGroup

	mu       sync.Mutex
	target   string
	links    map[*link]bool
	resumed  chan struct{} // closed at the end of a blackhole; nil if there is none
	refuse   bool
	delay    time.Duration
	rate     int
	after    int64 // bytes after which a new connection is reset; 0 is never
	accepted int
	closed   bool
	done     chan struct{}
}

// New returns a proxy for the server at target, on a port of its own. It is closed when the test ends.
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

// Addr returns the address of the proxy.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// SetTarget makes new connections go to the server at addr.
func (p *Proxy) SetTarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

// Refuse makes the proxy reset new connections at once, or stop doing so.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = on
}

// Blackhole holds back all data in both directions, and the ends of connections. Connections that are opened meanwhile
// are silent. Blackhole(false) lets everything continue.
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

// Delay delays all data by d.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Rate limits each direction of a connection to bytes per second; 0 means no limit.
func (p *Proxy) Rate(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = bytes
}

// CutAfter makes the proxy reset each new connection after it has carried that many bytes, both directions together; 0
// is never.
func (p *Proxy) CutAfter(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = bytes
}

// Accepted returns how many connections have been accepted.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Live returns how many connections are open on either side.
func (p *Proxy) Live() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Cut ends all current connections and returns how many. Data in transit is lost.
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

// Exorcise resets the server's ends of connections that Cut has left as ghosts.
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

// conditions returns the current delay and rate. It waits during a blackhole.
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
