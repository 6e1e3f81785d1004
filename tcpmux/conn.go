package tcpmux

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/muxsession"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// conn is one connection of a session, behind the greeting. It is the session's only one as long as Session.conn is it: what
// comes on another is not looked at.
type conn struct {
	s      *Session
	nc     *netconn.Conn
	at     place
	gather func() // drawSoon

	// Guarded by s.mu.
	asked bool  // the output will ask for what there is
	warm  bool  // something has been sent, and nothing came since
	alarm int64 // when Alarm is called; 0: it is not
	why   error // why we have ended it
}

var (
	_ netconn.Protocol = (*conn)(nil)
	_ netconn.Alarmer  = (*conn)(nil)
	_ netconn.Parker   = (*conn)(nil)
	_ netconn.Drainer  = (*conn)(nil)
	_ netconn.Lender   = (*conn)(nil)
)

// flight is how much is sent at a time.
const flight = 256 << 10

// attach makes nc the session's connection, whose peer has received so much. s.mu is held. It returns nil if that cannot be.
func (s *Session) attach(nc *netconn.Conn, received uint64) *conn {
	c := &conn{s: s, nc: nc, at: place{local: nc.LocalAddr(), remote: nc.RemoteAddr(), tls: nc.TLS()}}
	c.gather = c.drawSoon
	nc.SetWriteTimeout(s.cfg.stalled())
	if s.end != nil || !s.core.Attach(received, nc.Moment()) {
		return nil
	}
	s.conn = c
	s.weigh()
	if x := s.away; x != nil {
		if x.patience != nil {
			x.patience.Stop()
		}
		s.away = nil
		s.resumed++
		s.notices.add(s, notice{outage: time.Since(x.since)})
		s.cfg.Logger.Debug("session resumed", "session", s.ID(), "remote", c.at.remote)
	}
	c.setAlarm()
	s.tellAll(&s.pinging)
	return c
}

// Data implements netconn.Protocol.
func (c *conn) Data(nc *netconn.Conn, in []byte) (n int, err error) {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		s.mu.Unlock()
		return len(in), netconn.ErrAbort
	}
	c.warm = false
	pinging := s.core.Pinging()
	n, err = s.core.Receive(in, nc.Moment())
	s.serve()
	if pinging && !s.core.Pinging() {
		s.tellAll(&s.pinging)
	}
	if err != nil {
		return n, s.faulty(c, err)
	}
	if s.core.PeerGone() && !s.closing {
		s.close(Peer)
	}
	if s.core.Done() {
		return n, s.closed(c)
	}
	c.setAlarm()
	s.unlockRead()
	return n, nil
}

// faulty ends the session because of what the peer has sent; s.mu is held, and given back.
func (s *Session) faulty(c *conn, err error) error {
	s.lose(err, Peer)
	s.unlock()
	var killed *muxsession.Killed
	if errors.As(err, &killed) {
		return netconn.ErrDone
	}
	_, _ = c.nc.Post(netconn.Final, muxframe.AppendKill(nil, muxframe.KillProtocol, err.Error()))
	return netconn.ErrDoneEarly
}

// closed ends the session in order, and its connection when the peer has been told that everything has come. s.mu is held,
// and given back.
func (s *Session) closed(c *conn) error {
	ack := muxframe.AppendAck(nil, s.core.Received())
	s.finish(End{By: s.by})
	s.unlock()
	_, _ = c.nc.Post(netconn.Final, ack)
	return netconn.ErrDone
}

// setAlarm has Alarm called when the core wants to look at the time. s.mu is held.
func (c *conn) setAlarm() {
	at := c.s.core.Next(int64(c.s.cfg.Keepalive))
	if idle := int64(c.s.cfg.Idle); idle > 0 {
		if look := c.nc.Moment() + idle/2 + 1; at == 0 || look < at {
			at = look
		}
	}
	if at == 0 || c.alarm != 0 && c.alarm <= at {
		return
	}
	c.alarm = at
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
	c.alarm = 0
	if !s.core.Tick(c.nc.Moment(), int64(s.cfg.Keepalive)) {
		c.why = ErrSilent
		s.mu.Unlock()
		c.nc.Abort()
		return
	}
	c.setAlarm()
	if s.idles() {
		s.close(Us)
	}
	s.unlock()
}

// Park implements netconn.Parker.
func (c *conn) Park() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.conn == c {
		c.s.core.Trim()
	}
}

// Drain implements netconn.Drainer: sessions are closed one by one, and end their connections themselves.
func (c *conn) Drain() {}

// End implements netconn.Protocol.
func (c *conn) End(nc *netconn.Conn, err error) {
	s := c.s
	s.mu.Lock()
	if c.why != nil {
		err = c.why
	}
	s.broke(c, err)
	s.unlock()
}
