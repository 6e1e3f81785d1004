package h2client

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// New runs an HTTP/2 connection on nc, served by e. ahead is what was already read from nc; state is the state of its
// TLS, nil if there is none. over is called once, on any goroutine, when the connection takes no more requests.
func New(e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, over func(*Conn)) (*Conn, error) {
	c := &Conn{TLS: state, cfg: cfg, onRetired: over}
	ready := make(chan struct{})
	err := e.Run(nc, ahead, func(link *netconn.Conn) (netconn.Protocol, error) {
		c.begin(link)
		close(ready)
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	<-ready
	c.Draw()
	return c, nil
}

func (c *Conn) begin(link *netconn.Conn) {
	now := link.ExactMoment() // a round trip is measured from here
	c.idleStart = now
	if d := c.cfg.WriteByteTimeout; d > 0 {
		link.SetWriteTimeout(d)
	}
	c.health = h2conn.Health{Interval: c.cfg.PingInterval, Timeout: c.cfg.PingTimeout}
	c.health.HeardLocked(now)
	c.Init(link, http2.NewClient(&c.cfg.Wire, now), c, &h2conn.Policy{CountError: c.cfg.CountError})
	c.Lock()
	c.ArmLocked(c.WireLocked().Deadline())
	c.ArmLocked(c.dueIdleLocked(now))
	c.Unlock()
}
