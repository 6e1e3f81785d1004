package h2client

// Waiting tells how many requests wait for room on c.
func (c *Conn) Waiting() int { return c.waiting() }

// Hosts returns the number of keys that p has a hostPool for.
func (p *Pool) Hosts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.hosts)
}

// Holding has f run while nobody else has p.
func (p *Pool) Holding(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// Conns returns the connections of p.
func (p *Pool) Conns() []*Conn { return p.all() }

// Calling tells how many wait for the connection that is being opened for key.
func (p *Pool) Calling(key Key) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pl := p.hosts[key]; pl != nil && pl.dialing != nil {
		return pl.dialing.waiters
	}
	return 0
}

// The bounds of a request's 10*time.Second with servers.
const (
	MostOpened  = maxDials
	MostRefused = maxRefused
)
