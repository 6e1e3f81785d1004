package streamsock

import (
	"errors"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// errPeerGone is returned by attach if the peer is gone.
var errPeerGone = errors.New("streamsock: the peer is gone")

// attach makes nc p's connection. p must have none. It runs on the connection's goroutine.
func (p *Peer) attach(nc *netconn.Conn, a *Arrival, w wire) (*conn, error) {
	s := p.sock
	c := &conn{peer: p, nc: nc, wire: w, since: time.Now(), over: make(chan struct{})}
	if c.frames, _ = w.(*frames); c.framed() {
		c.heartbeat.interval = s.cfg.PingInterval
		c.heartbeat.signOfLife(nc.Moment())
	}
	c.near = near{window: boundBuffers(nc.NetConn()), room: &p.room}
	kind := EventConnected
	if p.connections.Add(1) > 1 {
		kind = EventReconnected
	}
	p.mu.Lock()
	if p.stay >= leaving {
		p.mu.Unlock()
		return nil, errPeerGone
	}
	p.arrival, p.expectsConn = a, true
	if p.awayTimer != nil {
		p.awayTimer.Stop()
	}
	p.mu.Unlock()
	p.notify(c, kind, nil)
	p.mu.Lock()
	p.conn, p.expectsConn = c, false
	waits := c.requestDrawLocked()
	if p.stay != staying {
		p.stay = max(p.stay, leaving)
		c.endWithLocked(End{Reason: p.why.Reason, Code: codeOf(p.why.Code, c.framed()), Text: p.why.Text})
		if p.dialler != nil {
			p.dialler.stop()
		}
	}
	p.mu.Unlock()
	if waits {
		nc.Draw(c)
	}
	if c.heartbeat.interval > 0 {
		c.alarm(c.heartbeat.interval)
	}
	return c, nil
}

// notify delivers an event. c is nil if the connection is already over.
func (p *Peer) notify(c *conn, kind Kind, end *End) {
	m := Message{Peer: p, Kind: kind, End: end}
	if f := p.sock.cfg.OnMessage; f != nil {
		if kind == EventDisconnected {
			p.disconnectDelivered()
		}
		f(m)
		return
	}
	b := batches.Get().(*batch)
	b.msgs = append(b.msgs, m)
	p.sock.inbox.add(&p.in, b, nil)
}

// disconnectDelivered is called when the user is told that the peer has ended its half: messages sent from now on are not
// sent on this connection.
func (p *Peer) disconnectDelivered() {
	p.mu.Lock()
	if c := p.conn; c != nil && c.ending.told {
		c.endWithLocked(c.ending.why)
	}
	p.mu.Unlock()
}

// mayReturnLocked reports whether the peer is kept without a connection.
func (p *Peer) mayReturnLocked() bool {
	switch {
	case p.stay >= leaving:
		return false
	case p.dialler != nil:
		return p.sock.cfg.RedialFirst >= 0
	}
	return p.expectsConn || p.key != "" && p.sock.cfg.Away > 0
}

// connEnded is called when a connection of the peer is over.
func (p *Peer) connEnded(end End) {
	switch {
	case !end.Returns:
		p.finish()
	case p.dialler == nil && !p.expecting():
		p.expireLater()
	}
}

// expecting reports whether another connection is about to be attached.
func (p *Peer) expecting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expectsConn
}

var errNoCode = errors.New("streamsock: 1005 stands for no close code, and is not sent (RFC 6455 §7.4.1)")

// Disconnect ends the peer; see Socket.Disconnect.
func (p *Peer) Disconnect(code uint16, reason string) error {
	if code == 0 {
		code = uint16(websocket.CloseNormal)
	}
	if code == uint16(websocket.CloseNoStatus) {
		return errNoCode
	}
	if _, err := wsframe.AppendClose(nil, wsframe.CloseCode(code), reason); err != nil {
		return fmt.Errorf("streamsock: %w", err)
	}
	if !p.end(End{Reason: ReasonLocal, Code: websocket.CloseCode(code), Text: reason}) {
		return ErrGone
	}
	return nil
}

// expireLater ends a peer with a key if it does not come back within Config.Away.
func (p *Peer) expireLater() {
	n := p.connections.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awayTimer = p.sock.engine.AfterFunc(p.sock.cfg.Away, func() {
		p.mu.Lock()
		away := p.conn == nil && !p.expectsConn && p.connections.Load() == n
		if away {
			p.stay = max(p.stay, leaving) // so that a connection that comes now is another peer's
		}
		p.mu.Unlock()
		if away {
			p.finish()
		}
	})
}

// leave ends the peer because the socket is closing.
func (p *Peer) leave() { p.end(End{Reason: ReasonLocal, Code: websocket.CloseGoingAway}) }

// end ends the peer for good. It reports false if that was done before. If a connection is about to be attached, end waits
// for it for up to Linger; so long a dialled peer with queued messages is still dialled.
func (p *Peer) end(end End) bool {
	p.mu.Lock()
	linger := p.sock.cfg.Linger
	dials := p.dialler != nil && p.dialler.ctx.Err() == nil
	switch {
	case p.isEndingLocked():
		p.mu.Unlock()
		return false
	case p.conn != nil, linger <= 0, !p.expectsConn && (!dials || p.queue.empty()):
		p.endNowUnlock(end)
		return true
	}
	p.stay, p.why = finishing, end
	p.room.Broadcast()
	p.mu.Unlock()
	p.sock.engine.AfterFunc(linger, p.giveUp)
	return true
}

// isEndingLocked reports whether only queued messages are sent to the peer any more.
func (p *Peer) isEndingLocked() bool { return p.stay != staying }

// giveUp ends the peer if it has no connection. An existing connection ends by itself.
func (p *Peer) giveUp() {
	p.mu.Lock()
	if p.stay >= leaving {
		p.mu.Unlock()
		return
	}
	p.endNowUnlock(End{Reason: ReasonLocal, Code: websocket.CloseGoingAway})
}

// endNowUnlock ends the peer for good. It releases p.mu.
func (p *Peer) endNowUnlock(end End) {
	if p.stay == staying {
		p.why = end
	}
	p.stay = leaving
	c := p.conn
	if c != nil {
		end.Code = codeOf(end.Code, c.framed())
		c.endWithLocked(end)
	}
	p.room.Broadcast()
	p.mu.Unlock()
	if p.dialler != nil {
		p.dialler.stop()
	}
	if c == nil {
		p.finish()
	}
}

// Drain implements netconn.Drainer.
func (c *conn) Drain() { c.peer.leave() }
