package httpclient

// HostPools returns the number of hosts that cl has a pool for.
func (cl *Client) HostPools() int { return len(cl.pools.all()) }

// Prune prunes the pools that are empty, however many there are.
func (cl *Client) Prune() {
	cl.pools.mu.Lock()
	cl.pools.pruneLocked()
	cl.pools.mu.Unlock()
}
