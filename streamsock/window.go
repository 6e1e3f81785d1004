package streamsock

import (
	"net"
	"net/netip"
	"time"
)

// nearWindow is what a connection to the same host has under way at most, in each direction: what the one end writes the
// other reads while it is still in the processor's cache. On a network the system finds the window that the way there and
// back needs, which may be many times as large.
const nearWindow = 128 << 10

// tune bounds the buffers of a connection to the same host, and returns the bound, 0 for none.
func tune(nc net.Conn) int {
	for {
		b, ok := nc.(interface {
			SetReadBuffer(bytes int) error
			SetWriteBuffer(bytes int) error
		})
		switch {
		case ok && near(nc):
			if b.SetReadBuffer(nearWindow) != nil || b.SetWriteBuffer(nearWindow) != nil {
				return 0
			}
			return nearWindow
		case ok:
			return 0
		}
		below, ok := nc.(interface{ NetConn() net.Conn })
		if !ok {
			return 0
		}
		nc = below.NetConn()
	}
}

// near reports whether the peer is on the same host.
func near(nc net.Conn) bool {
	if nc.RemoteAddr().Network() == "unix" {
		return true
	}
	remote, err := netip.ParseAddrPort(nc.RemoteAddr().String())
	if err != nil {
		return false
	}
	local, err := netip.ParseAddrPort(nc.LocalAddr().String())
	return remote.Addr().Unmap().IsLoopback() || err == nil && remote.Addr() == local.Addr()
}

// brief is how long who sends waits for a connection that takes nothing.
const brief = 10 * time.Millisecond

// keepNear has who sends n bytes to a peer of the same host, and may wait, wait for what is under way: a large message until
// it can leave from where it is, a small one while as much as the window stands in line. What is copied beyond that would
// leave the processor's cache before it leaves the line. It is no bound: with a peer that takes nothing the wait is brief, and
// is not repeated before it takes something. p.mu is held.
func (p *Peer) keepNear(n int) {
	c := p.conn
	if c == nil || c.window == 0 || !p.crowded(c, n) {
		return
	}
	if c.waiters++; c.tire == nil {
		c.tire = time.AfterFunc(brief, c.tires)
	} else if c.waiters == 1 {
		c.tire.Reset(brief)
	}
	for p.crowded(c, n) {
		if p.line.empty() && c.ask() { // to be told when what has been sent past the line has left
			p.mu.Unlock()
			c.nc.Draw(c)
			p.mu.Lock()
			continue
		}
		p.room.Wait()
	}
	if c.waiters--; c.waiters == 0 {
		c.tire.Stop()
	}
}

// tires has those not wait any more who wait in keepNear.
func (c *conn) tires() {
	c.peer.mu.Lock()
	c.stuck = true
	c.peer.room.Broadcast()
	c.peer.mu.Unlock()
}

// ask notes that the output is to be drawn for, unless it is, or somebody writes. c.peer.mu is held.
func (c *conn) ask() bool {
	if c.asked || c.busy {
		return false
	}
	c.asked = true
	return true
}

// crowded reports whether n bytes more had better wait, and something leaves meanwhile. p.mu is held.
func (p *Peer) crowded(c *conn, n int) bool {
	switch {
	case p.conn != c || c.stuck || c.closing || c.broken:
		return false
	case n >= large:
		return c.asked || c.busy || !p.line.empty() || c.nc.Unsent()
	}
	return !p.line.empty() && p.line.bytes+int64(n) > int64(c.window)
}
