package pulse

import "github.com/shockwave-go/shockwave/internal/core/clock"

// Pinger is a protocol with pings, on one connection.
type Pinger interface {
	// Listens reports whether what the peer sends is being read. If not, its answer cannot be seen.
	Listens() bool
	// Ping asks the peer at now. It calls Post with a ping, or sends one by other means and calls Asked.
	Ping(p *Pulse, now clock.Moment)
}

// BeatOutput is what Beat asks the output to the peer.
type BeatOutput interface {
	Output
	WriteExpired() bool
}

// Beat is all that a protocol's heartbeat needs: it pings a peer that has been silent for after, and reports whether the peer
// has stayed silent for timeout since, so that the connection is to be ended. Call it when an alarm comes (at the latest after
// the time after since the connection began), set the next alarm to next, and call Heard when something arrives:
//
//	func (c *conn) Alarm() {
//		next, silent := c.pulse.Beat(&c.nc.Output, c, c.nc.Moment(), interval, timeout)
//		if silent {
//			c.nc.Abort()
//			return
//		}
//		c.nc.SetAlarm(time.Duration(max(next-c.nc.Moment(), 1)))
//	}
//
//	func (c *conn) Ping(p *netconn.Pulse, _ int64) { p.Post(&c.nc.Output, netconn.Part, pingFrame) }
//
// A peer is not judged while nothing reads, but pinged again; and neither judged nor pinged after the write deadline.
func (p *Pulse) Beat(o BeatOutput, with Pinger, now clock.Moment, after, timeout int64) (next clock.Moment, silent bool) {
	if o.WriteExpired() {
		p.Forget()
		return now + max(after/2, 1), false
	}
	state, next := p.Check(o, now, after, timeout)
	if state == Silent {
		if with.Listens() {
			return 0, true
		}
		p.Forget()
		state, next = p.Check(o, now, after, timeout)
	}
	if state == Ask || p.Unposted() {
		with.Ping(p, now)
	}
	return next, false
}
