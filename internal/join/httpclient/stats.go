package httpclient

// Stats is a snapshot of a Client's counters.
type Stats struct {
	Open    int64 // connections, including those being opened
	Idle    int64 // idle connections of HTTP/1.1
	Opened  int64 // connections opened since the client was made
	Reused  int64 // requests sent on a connection that had been used before
	Waits   int64 // requests that had to wait for a connection
	Retries int64 // requests that were sent again because their connection had ended before the server saw them
}

// Stats returns the current values of the counters.
func (cl *Client) Stats() Stats {
	ps := &cl.pools
	s := &ps.stats
	return Stats{ps.room.opened.Load(), ps.idle.Load(), s.opened.Load(), s.reused.Load(), s.waits.Load(), s.retries.Load()}
}
