package h2client

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// pings says how much silence a connection takes before it sends a PING. Servers of gRPC end connections of clients that
// send too many: the first is allowed, the third that comes within five minutes of the one before is not, and what counts
// begins anew when the server sends HEADERS or DATA. The connection's lock guards it.
type pings struct {
	asked    bool   // a PING was answered
	messages uint32 // h2conn.Conn.Messages at the answer
	slower   uint8  // the silence is doubled so many times, because the server has found fault with it
}

// maxSlower bounds pings.slower.
const maxSlower = 8

// answered is called when the server has answered a PING.
func (p *pings) answered(c *h2conn.Conn) { p.asked, p.messages = true, c.Messages() }

// silence returns how long the server may be silent.
func (p *pings) silence(cfg *Config, c *h2conn.Conn) time.Duration {
	d := cfg.PingAfter
	if p.asked && p.messages == c.Messages() {
		d = max(d, cfg.PingGap)
	}
	if cfg.PingAfter <= 0 {
		return 0
	}
	return d << p.slower
}

// tooManyPings reports whether e is what servers of gRPC say to a client that sends too many PINGs.
func (e *GoAwayError) tooManyPings() bool {
	return e != nil && e.Code == http2.ErrCodeEnhanceYourCalm && e.Debug == "too_many_pings"
}

// setSlower is called when the pool has opened the connection.
func (c *Conn) setSlower(n uint8) {
	c.Lock()
	c.pings.slower = n
	c.Unlock()
}

// nextSlower returns pings.slower for the next connection to the server, and whether it differs from this one's.
func (c *Conn) nextSlower() (n uint8, slower bool) {
	c.Lock()
	defer c.Unlock()
	if !c.goAway.tooManyPings() {
		return 0, false
	}
	return min(c.pings.slower+1, maxSlower), true
}

// maxSlowed is how many servers the pool knows that want fewer PINGs.
const maxSlowed = 1000

// noteSlower remembers whether the server of a connection that has ended wants fewer PINGs. The caller must hold p.mu.
func (p *Pool) noteSlower(key Key, c *Conn) {
	n, slower := c.nextSlower()
	if !slower {
		return
	}
	if p.slower == nil || len(p.slower) >= maxSlowed {
		p.slower = map[Key]uint8{}
	}
	p.slower[key] = max(p.slower[key], n)
}
