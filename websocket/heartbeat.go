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
	interval time.Duration
	began    time.Time

	// Times are nanoseconds since began, by the monotonic clock: a step of the system's clock says nothing about the peer.
	heard   atomic.Int64 // when something was last received
	asked   atomic.Int64 // when the peer was last pinged
	checked atomic.Int64 // when checkHeartbeat last ran
}

func newHeartbeat(interval time.Duration) *heartbeat {
	return &heartbeat{interval: interval, began: time.Now()}
}

// now returns the time since h began, which is not 0.
func (h *heartbeat) now() int64 { return int64(time.Since(h.began)) + 1 }

// stalled reports whether checkHeartbeat, which should run every half interval, runs far too late at now: the program was
// suspended, and what the peer has sent meanwhile may not have been read yet.
func (h *heartbeat) stalled(now int64) bool {
	const slack = 20 * time.Millisecond // for the resolution of alarms
	return now-h.checked.Swap(now) > int64(h.interval+slack)
}

// noteActivity records that something was received from the peer. h may be nil.
func (h *heartbeat) noteActivity() {
	if h != nil {
		h.heard.Store(h.now())
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
	h := c.heartbeat
	defer c.scheduleHeartbeat()
	now, heard, asked := h.now(), h.heard.Load(), h.asked.Load()
	stalled, interval := h.stalled(now), int64(h.interval)
	switch {
	case now-heard < interval, c.t.WriteExpired():
	case asked > heard && now-asked < interval:
	case asked > heard && !stalled && c.isRead():
		c.fail(ErrSilent)
		c.t.Abort()
		c.cut()
	default:
		h.asked.Store(now)
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
