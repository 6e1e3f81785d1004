package httpclient

import "sync/atomic"

type counters struct{ opened, reused, waits, retries atomic.Int64 }

// Stats is a snapshot of a Client's counters.
type Stats struct {
	Open    int64 // connections, with those that are being opened
	Idle    int64 // of HTTP/1.1 without a request
	Opened  int64 // since the start
	Reused  int64 // requests that found a connection
	Waits   int64 // requests that had to wait for one
	Retries int64 // requests that were sent again, because a connection had ended before they were seen
}

// Stats returns the counters as they are now.
func (cl *Client) Stats() Stats {
	s := &cl.stats
	return Stats{cl.opened.Load(), cl.idle.Load(), s.opened.Load(), s.reused.Load(), s.waits.Load(), s.retries.Load()}
}
