package tcpmux

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// conn is a connection of a session, after the greeting. A session uses one conn at a time, Session.conn; input of any other
// is discarded.
type conn struct {
	s  *Session
	nc *netconn.Conn

	// Guarded by s.mu.
	gather  netconn.Gather // when output is sent
	alarmAt int64          // when Alarm is to be called, on the clock of nc.Moment; 0: never
	alive   *keepalive
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

// attach makes nc the session's connection and resumes after the received bytes of the peer; s.mu is held. It returns nil if
// the session has ended or received is impossible.
func (s *Session) attach(nc *netconn.Conn, received uint64) *conn {
	c := &conn{s: s, nc: nc}
	nc.SetWriteTimeout(s.cfg.stallTimeout())
	nc.ShareOutput()
	if s.end != nil || !s.core.Attach(received, nc.Moment()) {
		return nil
	}
	s.conn = c
	if s.dialler != nil {
		s.dialler.noteConnected()
	}
	s.countHeld()
	if x := s.outage; x != nil {
		if x.expiry != nil {
			x.expiry.Stop()
		}
		s.outage = nil
		s.resumeCount++
		s.notify(notice{outage: time.Since(x.since)})
		s.cfg.Logger.Debug("session resumed", "session", s.ID(), "remote", nc.RemoteAddr())
	}
	c.setAlarm()
	s.wakeAll(&s.pingers)
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
	c.gather.Received()
	pinging := s.core.Pinging()
	n, err = s.core.Receive(in, nc.Moment())
	s.serve()
	if pinging && !s.core.Pinging() {
		s.wakeAll(&s.pingers)
	}
	if err != nil {
		return n, s.failProtocol(c, err)
	}
	if s.core.PeerGone() && !s.closing {
		s.startClose(Peer)
	}
	if s.core.Done() {
		return n, s.finishClose(c)
	}
	c.setAlarm()
	s.unlockRead()
	return n, nil
}

// failProtocol ends the session after the peer has broken a rule or killed it; s.mu is held, and released.
func (s *Session) failProtocol(c *conn, err error) error {
	s.lose(err, Peer)
	s.unlock()
	var killed *muxsession.Killed
	if errors.As(err, &killed) {
		return netconn.ErrDone
	}
	_, _ = c.nc.Post(netconn.Final, muxframe.AppendKill(nil, muxframe.KillProtocol, err.Error()))
	return netconn.ErrDoneEarly
}

// finishClose ends a session that both sides have closed. It sends a last ACK, which tells the peer that everything has
// arrived, and ends the connection; s.mu is held, and released.
func (s *Session) finishClose(c *conn) error {
	ack := muxframe.AppendAck(nil, s.core.Received())
	s.finish(End{By: s.by})
	s.unlock()
	_, _ = c.nc.Post(netconn.Final, ack)
	return netconn.ErrDone
}

// setAlarm schedules Alarm for the next time that the core or Config.Idle needs; s.mu is held.
func (c *conn) setAlarm() {
	at := c.s.core.Next()
	if due := c.keepaliveDue(); at == 0 || due != 0 && due < at {
		at = due
	}
	if idle := int64(c.s.cfg.Idle); idle > 0 {
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
	s.core.Tick(c.nc.Moment())
	if !c.checkPeer(c.nc.Moment()) {
		s.mu.Unlock()
		c.nc.Abort()
		return
	}
	c.setAlarm()
	if s.idleTooLong(c.nc.Moment()) {
		s.startClose(Us)
	}
	s.unlock()
}

// Park implements netconn.Parker.
func (c *conn) Park() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.conn == c {
		c.s.core.Trim()
		c.s.trimArrivals()
		c.gather.Trim()
	}
}

// Drain implements netconn.Drainer. It does nothing: Listener.Close closes each session, and a closed session ends its
// connection.
func (c *conn) Drain() {}

// End implements netconn.Protocol.
func (c *conn) End(nc *netconn.Conn, err error) {
	s := c.s
	s.mu.Lock()
	if c.alive != nil && c.alive.silent {
		err = ErrSilent
	}
	s.connEnded(c, err)
	s.unlock()
}
