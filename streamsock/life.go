package streamsock

import (
	"errors"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// errOver is attach's when the peer is gone.
var errOver = errors.New("streamsock: the peer is gone")

// attach makes a connection p's, on the connection's goroutine. p has none.
func (p *Peer) attach(nc *netconn.Conn, a *Arrival, w wire) (*conn, error) {
	s := p.sock
	_, framed := w.(*frames)
	c := &conn{peer: p, nc: nc, wire: w, framed: framed, since: nc.Now(), over: make(chan struct{})}
	c.drains = c.drain
	if framed {
		c.pulse.interval = s.cfg.Heartbeat
		c.pulse.note(nc.Moment())
	}
	c.window = tune(nc.NetConn())
	kind := Connected
	if p.connections.Add(1) > 1 {
		kind = Reconnected
	}
	p.mu.Lock()
	if p.gone || p.leaving {
		p.mu.Unlock()
		return nil, errOver
	}
	p.arrival, p.stays = a, true
	if p.patience != nil {
		p.patience.Stop()
	}
	p.mu.Unlock()
	p.tell(c, kind, nil)
	p.mu.Lock()
	p.conn, p.stays = c, false
	waits := c.asks()
	if last := p.parting; last != nil {
		p.leaving = true
		c.endWith(End{Reason: last.Reason, Code: codeOf(last.Code, framed), Text: last.Text})
		if p.dialler != nil {
			p.dialler.stop()
		}
	}
	p.mu.Unlock()
	if waits {
		nc.Draw(c)
	}
	if c.pulse.interval > 0 {
		c.alarm(c.pulse.interval)
	}
	return c, nil
}

// tell tells the user of an event. c is nil when the connection is over already.
func (p *Peer) tell(c *conn, kind Kind, end *End) {
	m := Message{Peer: p, Kind: kind, End: end}
	if f := p.sock.cfg.OnMessage; f != nil {
		if kind == Disconnected {
			p.knows()
		}
		f(m)
		return
	}
	b := batches.Get().(*batch)
	b.msgs = append(b.msgs, m)
	p.sock.inbox.bring(&p.in, b, nil)
}

// knows is called as the user is about to be told that the peer has ended its half: what is sent from now on is too late.
func (p *Peer) knows() {
	p.mu.Lock()
	if c := p.conn; c != nil && c.told {
		c.endWith(c.end)
	}
	p.mu.Unlock()
}

// returns reports whether the peer stays without a connection. p.mu is held.
func (p *Peer) returns() bool {
	switch {
	case p.leaving:
		return false
	case p.dialler != nil:
		return p.sock.cfg.RedialFirst >= 0
	}
	return p.stays || p.key != "" && p.sock.cfg.Away > 0
}

// broke is called when a connection of the peer's is over.
func (p *Peer) broke(end End) {
	switch {
	case !end.Returns:
		p.finish()
	case p.dialler == nil && !p.staying():
		p.await()
	}
}

// staying reports whether another connection is on its way.
func (p *Peer) staying() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stays
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
	if _, err := wsframe.AppendClose(nil, websocket.CloseCode(code), reason); err != nil {
		return fmt.Errorf("streamsock: %w", err)
	}
	if !p.end(End{Reason: Local, Code: websocket.CloseCode(code), Text: reason}) {
		return ErrGone
	}
	return nil
}

// await has a peer with a key be forgotten if it does not come back.
func (p *Peer) await() {
	n := p.connections.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.patience = time.AfterFunc(p.sock.cfg.Away, func() {
		p.mu.Lock()
		away := p.conn == nil && !p.stays && p.connections.Load() == n
		p.mu.Unlock()
		if away {
			p.finish()
		}
	})
}

// leave ends the peer because the socket ends.
func (p *Peer) leave() { p.end(End{Reason: Local, Code: websocket.CloseGoingAway}) }

// end ends the peer for good, and reports false if that has been done. A connection that is about to be its is awaited for
// Linger, which ends so; and who is dialled is dialled on for as long, if something waits for it.
func (p *Peer) end(end End) bool {
	p.mu.Lock()
	linger := p.sock.cfg.Linger
	dials := p.dialler != nil && p.dialler.ctx.Err() == nil
	switch {
	case p.ends():
		p.mu.Unlock()
		return false
	case p.conn != nil, linger <= 0, !p.stays && (!dials || p.line.empty()):
		p.endNow(end)
		return true
	}
	p.parting = &end
	p.room.Broadcast()
	p.mu.Unlock()
	time.AfterFunc(linger, p.giveUp)
	return true
}

// ends reports whether nothing more is sent to the peer than what waits. p.mu is held.
func (p *Peer) ends() bool { return p.gone || p.leaving || p.parting != nil }

// giveUp ends the peer if it has no connection; one that it has ends by itself.
func (p *Peer) giveUp() {
	p.mu.Lock()
	if p.gone || p.leaving {
		p.mu.Unlock()
		return
	}
	p.endNow(End{Reason: Local, Code: websocket.CloseGoingAway})
}

// endNow ends the peer for good. It is called with p.mu held, and gives it back.
func (p *Peer) endNow(end End) {
	p.leaving = true
	c := p.conn
	if c != nil {
		end.Code = codeOf(end.Code, c.framed)
		c.endWith(end)
	} else if p.parting == nil {
		p.parting = &end
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
