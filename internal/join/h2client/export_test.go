package h2client

// Waiting returns how many requests wait for room on c.
func (c *Conn) Waiting() int { return c.waiting() }

// Hosts returns the number of keys that p has a hostPool for.
func (p *Pool) Hosts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.hosts)
}

// Holding calls f with p locked.
func (p *Pool) Holding(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// Conns returns the connections of p.
func (p *Pool) Conns() []*Conn { return p.all() }

// Calling returns how many requests wait for the dial for key.
func (p *Pool) Calling(key Key) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pl := p.hosts[key]; pl != nil && pl.dialing != nil {
		return pl.dialing.waiters
	}
	return 0
}

// The limits on the connections that a request tries.
const (
	MaxDials   = maxDials
	MaxRefused = maxRefused
)
