package websocket

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// pulse is what a connection with Config.PingInterval knows of its peer's life.
type pulse struct {
	interval     time.Duration
	heard, asked atomic.Int64 // when it last gave a sign of life, and was last asked for one
}

// noteSign notes that the peer lives.
func (c *Conn) noteSign() {
	if c.pulse != nil {
		c.pulse.heard.Store(time.Now().UnixNano())
	}
}

// watchLife has checkLife called every now and then.
func (c *Conn) watchLife() {
	if c.pulse != nil && !c.over.Load() {
		c.t.SetAlarm(c.pulse.interval / 2)
	}
}

// checkLife asks a peer for a sign of life that has been silent for PingInterval, and cuts off one that has not given
// any for as long again. Where nobody reads, nothing can be heard: there the peer is asked again and again, and so it is
// after the program itself has stood still. After the write deadline it cannot be asked, and is left in peace.
func (c *Conn) checkLife() {
	if c.peerDone() {
		return // it need not answer any more
	}
	interval := c.pulse.interval
	defer c.watchLife()
	now, heard, asked := time.Now().UnixNano(), c.pulse.heard.Load(), c.pulse.asked.Load()
	switch waited := time.Duration(now - asked); {
	case now-heard < int64(interval), c.t.WriteExpired():
	case asked > heard && waited < interval:
	case asked > heard && c.isRead():
		c.fail(ErrSilent)
		c.t.Abort()
		c.cut()
	default:
		c.pulse.asked.Store(now)
		frame := c.control(wsframe.Ping, nil)
		c.t.Post(netconn.Part, frame)
		bufpool.Put(frame)
	}
}

// isRead reports whether somebody waits for what the peer sends.
func (c *Conn) isRead() bool {
	if c.onMessage != nil {
		return !c.busy.Load()
	}
	if c.reading.TryLock() {
		c.doneReading()
		return false
	}
	return true
}
