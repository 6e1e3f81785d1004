package streamsock

import (
	"net"
	"net/netip"
	"time"
)

// nearWindow bounds the bytes in flight on a connection within the same host, in each direction, so that the receiver reads
// them while they are still in the processor's cache. Over a network the system finds the window that the round-trip time
// needs, which may be many times as large.
const nearWindow = 128 << 10

// boundBuffers sets the socket buffers of a connection within the same host to nearWindow and returns that, or 0 for other
// connections.
func boundBuffers(nc net.Conn) int {
	for {
		b, ok := nc.(interface {
			SetReadBuffer(bytes int) error
			SetWriteBuffer(bytes int) error
		})
		switch {
		case ok && sameHost(nc):
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

// sameHost reports whether the peer is on the same host.
func sameHost(nc net.Conn) bool {
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

// nearWait is how long a Send waits for a connection that accepts no output.
const nearWait = 10 * time.Millisecond

// awaitNearRoom delays a Send of n bytes to a peer on the same host until earlier output has left: a large message waits
// until it can be written from the caller's memory, a small one while the queue is full up to the window. Otherwise data
// would leave the processor's cache before it leaves the queue. It is not a limit: if nothing leaves within nearWait, it
// does not wait again until something does. p.mu is held.
func (p *Peer) awaitNearRoom(n int) {
	c := p.conn
	if c == nil || c.window == 0 || !p.nearFull(c, n) {
		return
	}
	if c.nearWaiters++; c.nearTimer == nil {
		c.nearTimer = time.AfterFunc(nearWait, c.nearTimeout)
	} else if c.nearWaiters == 1 {
		c.nearTimer.Reset(nearWait)
	}
	for p.nearFull(c, n) {
		if p.queue.empty() && c.askDraw() { // so that room is signalled when a direct write has left
			p.mu.Unlock()
			c.nc.Draw(c)
			p.mu.Lock()
			continue
		}
		p.room.Wait()
	}
	if c.nearWaiters--; c.nearWaiters == 0 {
		c.nearTimer.Stop()
	}
}

// nearTimeout stops the waits in awaitNearRoom.
func (c *conn) nearTimeout() {
	c.peer.mu.Lock()
	c.stuck = true
	c.peer.room.Broadcast()
	c.peer.mu.Unlock()
}

// askDraw asks for a draw although the queue is empty, and reports whether the caller must call Draw. c.peer.mu is held.
func (c *conn) askDraw() bool { return !c.writing && c.gather.Ask() }

// nearFull reports whether a Send of n bytes is to wait in awaitNearRoom: output is pending and can leave. p.mu is held.
func (p *Peer) nearFull(c *conn, n int) bool {
	switch {
	case p.conn != c || c.stuck || c.closing || c.writeBroken:
		return false
	case n >= large:
		return c.gather.Asked() || c.writing || !p.queue.empty() || c.nc.Unsent()
	}
	return !p.queue.empty() && p.queue.bytes+int64(n) > int64(c.window)
}
