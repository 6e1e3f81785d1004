package tcpmux

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// conn is a connection of a session, after the greeting. A session uses one conn at a time, link.conn; input of any other
// is discarded.
type conn struct {
	s  *Session
	nc *netconn.Conn

	// Guarded by s.mu.
	gather  netconn.Gather // when output is sent
	alarmAt int64          // when Alarm is to be called, on the clock of nc.Moment; 0: never
	alive   *heartbeat
}

var (
	_ netconn.Protocol = (*conn)(nil)
	_ netconn.Alarmer  = (*conn)(nil)
	_ netconn.Parker   = (*conn)(nil)
	_ netconn.Drainer  = (*conn)(nil)
	_ netconn.Lender   = (*conn)(nil)
)

// flight is the most bytes that are sent in one write.
const flight = 256 << 10

func (c *conn) endpoints() endpoints {
	return endpoints{local: c.nc.LocalAddr(), remote: c.nc.RemoteAddr(), tls: c.nc.TLS()}
}

// Data implements netconn.Protocol.
func (c *conn) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		s.mu.Unlock()
		return len(in), netconn.ErrAbort
	}
	c.gather.Received()
	pinging := s.core.Pinging()
	n, err = s.core.Receive(in, nc.Moment())
	s.serveLocked()
	if pinging && !s.core.Pinging() {
		s.wakeAll(&s.pingers)
	}
	if err == nil && s.core.PeerGone() && !s.closing {
		s.startCloseLocked(SidePeer)
	}
	var last []byte // what is sent last on the connection
	switch {
	case err != nil:
		last, err = s.failLocked(err)
	case s.core.Done():
		last, err = s.finishCloseLocked()
	default:
		c.setAlarmLocked()
		s.unlockRead()
		return n, nil
	}
	s.unlock()
	if last != nil {
		_, _ = nc.Post(netconn.Final, last)
	}
	return n, err
}

// setAlarmLocked schedules Alarm for the next time that the core, Config.PingInterval or Config.IdleTimeout needs.
func (c *conn) setAlarmLocked() {
	cfg := c.s.cfg
	at := c.s.core.Next()
	if due := heartbeatDue(c.alive, c.s.core, int64(cfg.PingInterval)); at == 0 || due != 0 && due < at {
		at = due
	}
	if idle := int64(cfg.IdleTimeout); idle > 0 {
		if look := c.nc.Moment() + idle/2 + 1; at == 0 || look < at {
			at = look
		}
	}
	if at == 0 || c.alarmAt != 0 && c.alarmAt <= at {
		return
	}
	c.alarmAt = at
	c.nc.SetAlarm(time.Duration(max(at-c.nc.Moment(), 1)))
}

// Alarm implements netconn.Alarmer.
func (c *conn) Alarm() {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		s.mu.Unlock()
		return
	}
	c.alarmAt = 0
	now := c.nc.Moment()
	s.core.Tick(now)
	if !c.checkPeerLocked(now) {
		s.mu.Unlock()
		c.nc.Abort()
		return
	}
	c.setAlarmLocked()
	if s.idleTooLongLocked(now) {
		s.startCloseLocked(SideLocal)
	}
	s.unlock()
}

// checkPeerLocked pings a peer that has been silent for Config.PingInterval, and reports whether it has answered in time.
func (c *conn) checkPeerLocked(now int64) (alive bool) {
	core, interval := c.s.core, int64(c.s.cfg.PingInterval)
	if due := heartbeatDue(c.alive, core, interval); due == 0 || now < due {
		return true
	}
	if c.alive == nil {
		c.alive = new(heartbeat)
	}
	alive = c.alive.check(core, &c.nc.Output, now, interval)
	if heartbeatDue(nil, core, interval) > now {
		c.alive = nil // the peer has been heard
	}
	return alive
}

// Park implements netconn.Parker.
func (c *conn) Park() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.conn == c {
		c.s.core.Trim()
		c.s.accepting.trim()
		c.gather.Trim()
	}
}

// Drain implements netconn.Drainer. It does nothing: Listener.Shutdown closes each session, and a closed session ends its
// connection.
func (c *conn) Drain() {}

// End implements netconn.Protocol.
func (c *conn) End(nc *netconn.Conn, err error) {
	s := c.s
	s.mu.Lock()
	if c.alive != nil && c.alive.silent {
		err = ErrPingTimeout
	}
	s.connEndedLocked(c, err)
	s.unlock()
}
