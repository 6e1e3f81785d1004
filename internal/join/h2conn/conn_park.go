package h2conn

import "sync"

// Pool is the http2.Config.Pool of all connections: it holds the memory that none of them needs while it is idle.
var Pool = new(sync.Pool)

// Park implements netconn.Parker.
func (c *Conn) Park() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parkLocked()
}
