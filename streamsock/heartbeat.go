package streamsock

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// heartbeat records signs of life on ws and wss. conn.Data sets it and conn.Alarm checks it.
type heartbeat struct {
	interval time.Duration // 0: off
	pulse    netconn.Pulse
}

// signOfLife records a sign of life.
func (l *heartbeat) signOfLife(now int64) {
	if l.interval > 0 {
		l.pulse.Heard(now)
	}
}

// alarm schedules Alarm after d, or earlier if the heartbeat needs it.
func (c *conn) alarm(d time.Duration) {
	if c.heartbeat.interval > 0 && c.heartbeat.interval < d {
		d = c.heartbeat.interval
	}
	c.nc.SetAlarm(d)
}

// Alarm implements netconn.Alarmer.
func (c *conn) Alarm() {
	now := c.nc.Moment()
	waitsForUser := c.waitsForUser.Load() // load it first: pauses that end after this are checked next time
	tooSlow, underWay := c.rate.tooSlow(now, c.peer.sock.inbox.leastRate(&c.peer.in))
	if tooSlow && !waitsForUser {
		c.fail(errTooSlow)
		return
	}
	next := time.Duration(0)
	if underWay {
		next = rateGrace
	}
	if c.heartbeat.interval > 0 {
		rest := c.checkHeartbeat(now, waitsForUser)
		if rest <= 0 {
			c.fail(errSilent)
			return
		}
		if next == 0 || rest < next {
			next = rest
		}
	}
	if next > 0 {
		c.nc.SetAlarm(next)
	}
}

// checkHeartbeat pings the peer when it is time to, and returns the time until the next check. It returns 0 if a ping was
// not answered; see netconn.Pulse. waitsForUser means that nothing is being read.
func (c *conn) checkHeartbeat(now int64, waitsForUser bool) time.Duration {
	p, interval := &c.heartbeat.pulse, int64(c.heartbeat.interval)
	state, next := p.Beat(&c.nc.Output, now, !waitsForUser, interval, interval)
	switch state {
	case netconn.PulseSilent:
		return 0
	case netconn.PulseAsk:
		p.Post(&c.nc.Output, netconn.Whole, c.wire.(*frames).append(nil, wsframe.Ping, nil))
	}
	return time.Duration(max(next-now, 1))
}

// fail ends the connection at once because of err, which this side has found.
func (c *conn) fail(err error) {
	p := c.peer
	p.mu.Lock()
	if !c.endReported && !c.closing {
		c.end, c.closing = endOf(err, c.framed), true
	}
	p.room.Broadcast()
	p.mu.Unlock()
	c.nc.Quit()
}
