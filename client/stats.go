package client

// Stats is a snapshot of a client's counters. All but OpenConnections and IdleConnections only grow.
type Stats struct {
	Requests          int64 // calls of Do, Get and similar methods
	Failures          int64 // those of them that returned an error
	Redirects         int64 // redirects that were followed
	Retries           int64 // requests that were sent again
	OpenConnections   int64 // of TCP: current number, including those being opened
	IdleConnections   int64 // current number, of HTTP/1.1
	OpenedConnections int64 // of TCP
	Reused            int64 // requests sent on a connection that had been used before
	Waited            int64 // requests that had to wait for a connection
}

// Stats returns the current values of the counters.
func (c *Client) Stats() Stats {
	n, s := c.shared.pool.Stats(), &c.shared.stats
	return Stats{
		Requests:          s.requests.Load(),
		Failures:          s.failures.Load(),
		Redirects:         s.redirects.Load(),
		Retries:           s.retries.Load() + n.Retries,
		OpenConnections:   n.Open,
		IdleConnections:   n.Idle,
		OpenedConnections: n.Opened,
		Reused:            n.Reused,
		Waited:            n.Waits,
	}
}
