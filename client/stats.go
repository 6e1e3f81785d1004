package client

import "sync/atomic"

type counters struct{ requests, failures, redirects, retries atomic.Int64 }

// Stats is a snapshot of a client's counters. They only grow, but for the two that say what is there now.
type Stats struct {
	Requests          int64 // calls of Do, Get and the like
	Failures          int64 // of them, those that returned an error
	Redirects         int64 // followed
	Retries           int64 // requests that were sent again
	OpenConnections   int64 // now, with those that are being opened
	IdleConnections   int64 // now, of HTTP/1.1
	OpenedConnections int64
	Reused            int64 // requests that found a connection
	Waited            int64 // requests that had to wait for one
}

// Stats returns the counters as they are now.
func (c *Client) Stats() Stats {
	n, s := c.pool.Stats(), &c.stats
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
