package main

// kind is a kind of client. Each client runs episodes, one after the other: an episode connects, does its exchanges and
// closes the connection. It returns nil if the server behaved as it must.
type kind struct {
	name    string
	clients int
	episode func(c *caller) error
}

// wellBehaved returns the well-behaved clients. They are also the load of the shutdown rounds: each of their requests must
// get a whole response or not be handled at all.
func wellBehaved() []kind {
	return []kind{
		{"keep-alive", 24, keepAlive},
		{"churn", 8, churn},
		{"pipelined", 8, pipelined},
		{"parked", 6, parked},
		{"slow head", 4, slowHead},
		{"slow body", 4, slowBody},
		{"slow reader", 4, slowReader},
		{"download", 2, download},
		{"upload", 2, upload},
		{"slow response", 4, slowResponse},
		{"events", 12, events},
	}
}

// misbehaving returns the clients that disconnect early, send broken requests, stall, panic the handler or hijack the
// connection.
func misbehaving() []kind {
	return []kind{
		{"cut head", 2, cutHead},
		{"cut body", 2, cutBody},
		{"bad chunk", 2, badChunk},
		{"reset", 3, resets},
		{"garbage", 2, garbage},
		{"half close", 2, halfClose},
		{"impatient", 4, impatient},
		{"stalled head", 3, stalledHead},
		{"stalled body", 2, stalledBody},
		{"forgotten", 4, forgotten},
		{"hijacker", 3, hijacker},
		{"panic", 2, panics},
	}
}

// allKinds returns all kinds of clients.
func allKinds() []kind { return append(wellBehaved(), misbehaving()...) }
