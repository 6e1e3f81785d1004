package httpclient

// HostPools returns the number of hosts that cl has a pool for.
func (cl *Client) HostPools() int { return len(cl.all()) }
