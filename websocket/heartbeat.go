package websocket

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// heartbeat is what a connection with Config.PingInterval knows about its peer's signs of life.
type heartbeat struct {
	interval     time.Duration
	heard, asked atomic.Int64 // when something was last received, and when the peer was last pinged; Unix nanoseconds
}

// noteActivity records that something was received from the peer.
func (c *Conn) noteActivity() {
	if c.heartbeat != nil {
		c.heartbeat.heard.Store(time.Now().UnixNano())
	}
}

// scheduleHeartbeat has checkHeartbeat called after half the interval.
func (c *Conn) scheduleHeartbeat() {
	if c.heartbeat != nil && !c.over.Load() {
		c.t.SetAlarm(c.heartbeat.interval / 2)
	}
}

// checkHeartbeat pings a peer that has been silent for PingInterval. If the peer stays silent for that long again, it
// ends the connection. While nothing reads, nothing can be received, so the peer is only pinged again; the same happens
// after the program itself was suspended. After the write deadline the peer cannot be pinged and is not judged.
func (c *Conn) checkHeartbeat() {
	if c.peerHasClosed() {
		return // the peer need not answer any more
	}
	interval := c.heartbeat.interval
	defer c.scheduleHeartbeat()
	now, heard, asked := time.Now().UnixNano(), c.heartbeat.heard.Load(), c.heartbeat.asked.Load()
	switch waited := time.Duration(now - asked); {
	case now-heard < int64(interval), c.t.WriteExpired():
	case asked > heard && waited < interval:
	case asked > heard && c.isRead():
		c.fail(ErrSilent)
		c.t.Abort()
		c.cut()
	default:
		c.heartbeat.asked.Store(now)
		frame := c.control(wsframe.Ping, nil)
		c.t.Post(netconn.Part, frame)
		bufpool.Put(frame)
	}
}

// isRead reports whether something waits for input from the peer.
func (c *Conn) isRead() bool {
	if c.onMessage != nil {
		return !c.busy.Load()
	}
	if c.reading.TryLock() {
		c.unlockReading()
		return false
	}
	return true
}
