package main

// kind is a kind of client. An episode is what it does between arriving and leaving; it returns nil if everything was
// as it must be.
type kind struct {
	name    string
	clients int
	episode func(c *caller) error
}

// steady are the clients that want nothing but answers. They are those of the shutdowns, too: each of their requests is
// answered whole or not begun.
func steady() []kind {
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
		{"slow answer", 4, slowAnswer},
		{"events", 12, events},
	}
}

// rough are the clients that break off, lie, fall asleep or take the connection elsewhere.
func rough() []kind {
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

// everyone is the mix.
func everyone() []kind { return append(steady(), rough()...) }
