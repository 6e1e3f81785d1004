package websocket

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// heartbeat is what a connection with Config.PingInterval knows about its peer's signs of life.
type heartbeat struct {
	interval time.Duration
	pulse    netconn.Pulse
}

// noteActivity records that something was received from the peer.
func (c *Conn) noteActivity() {
	if h := c.heartbeat; h != nil {
		h.pulse.Heard(c.t.Moment())
	}
}

// scheduleHeartbeat has checkHeartbeat called at the time at.
func (c *Conn) scheduleHeartbeat(at int64) {
	if !c.over.Load() {
		c.t.SetAlarm(time.Duration(max(at-c.t.Moment(), 1)))
	}
}

// startHeartbeat begins to look for signs of life, if that is configured.
func (c *Conn) startHeartbeat() {
	if c.heartbeat != nil {
		c.noteActivity()
		c.checkHeartbeat()
	}
}

// checkHeartbeat pings a peer that has been silent for PingInterval. If the peer stays silent for that long again, it
// ends the connection; see netconn.Pulse. While nothing reads, nothing can be received, so the peer is only pinged again.
// After the write deadline the peer cannot be pinged and is not judged.
func (c *Conn) checkHeartbeat() {
	if c.peerHasClosed() {
		return // the peer need not answer any more
	}
	h, now := c.heartbeat, c.t.Moment()
	interval, p := int64(h.interval), &h.pulse
	if c.t.WriteExpired() {
		p.Forget()
		c.scheduleHeartbeat(now + interval/2)
		return
	}
	state, next := p.Check(&c.t.Output, now, interval, interval)
	if state == netconn.PulseSilent {
		if c.isRead() {
			c.fail(ErrSilent)
			c.t.Abort()
			c.cut()
			return
		}
		p.Forget()
		state, next = p.Check(&c.t.Output, now, interval, interval)
	}
	if state == netconn.PulseAsk || p.Unposted() {
		frame := c.control(wsframe.Ping, nil)
		p.Post(&c.t.Output, netconn.Part, frame)
		bufpool.Put(frame)
	}
	c.scheduleHeartbeat(next)
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
