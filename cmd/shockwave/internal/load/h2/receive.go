package h2

import (
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Data implements netconn.Protocol.
func (c *conn) Data(_ *netconn.Conn, in []byte) (int, error) {
	now := c.slot.Now()
	c.slot.Lock()
	if c.slot.Over() {
		c.slot.Unlock()
		return len(in), netconn.ErrAbort
	}
	taken, err := c.take(in, now)
	c.slot.Unlock()
	c.net.Draw(c) // new requests and control frames leave in one write after Data
	return taken, err
}

// take processes all of in. An error says how the connection is to end.
func (c *conn) take(in []byte, now int64) (taken int, err error) {
	c.lastInput = now
	for {
		ev, n, err := c.wire.Next(in[taken:], now)
		taken += n
		switch {
		case err != nil:
			c.badInput = true
			c.slot.Tally().Streams.NoteFault(err)
			return taken, netconn.ErrDoneEarly
		case ev.Kind == http2.EventNone:
			return taken, c.endWhenIdle()
		}
		c.event(&ev, now)
	}
}

// endWhenIdle returns netconn.ErrDone, which ends the connection, once no streams may be opened and none are in flight.
func (c *conn) endWhenIdle() error {
	if !c.goingAway || c.used > 0 {
		return nil
	}
	return netconn.ErrDone
}
