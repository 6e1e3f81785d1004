package streamsock

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/websocket"
)

// takeOver makes nc p's connection in place of its old one. Connections with the same key take over one at a time.
func (p *Peer) takeOver(nc *netconn.Conn, a *Arrival, w wire) (netconn.Protocol, error) {
	if p.key == "" {
		return p.attach(nc, a, w)
	}
	var timeout <-chan time.Time
	if handshake := p.sock.cfg.HandshakeTimeout; handshake > 0 {
		t := time.NewTimer(handshake)
		defer t.Stop()
		timeout = t.C
	}
	select {
	case p.attachLock <- struct{}{}:
		defer func() { <-p.attachLock }()
	case <-timeout:
		return nil, errLate
	}
	if err := p.endOldConn(timeout); err != nil {
		return nil, err
	}
	return p.attach(nc, a, w)
}

// endOldConn ends p's connection, if it has one, so that a new one can replace it, and waits until it is over.
func (p *Peer) endOldConn(timeout <-chan time.Time) error {
	p.mu.Lock()
	old, ending := p.conn, p.conn == nil
	if ending {
		old = p.ending
	}
	if old == nil {
		p.mu.Unlock()
		return nil
	}
	p.expectsConn = !ending
	old.ending.close(End{Reason: ReasonLocal, Code: codeOf(websocket.ClosePolicyViolation, old.framed()), Text: errReplaced.Error()}, 0)
	p.room.Broadcast() // a callback of the old connection may wait in Reply
	p.mu.Unlock()
	if !ending {
		old.nc.Abort()
	}
	select {
	case <-old.over:
		return nil
	case <-timeout: // the callback of the old connection does not return
	}
	p.mu.Lock()
	p.expectsConn = false
	away := p.conn == nil
	p.mu.Unlock()
	if away && !ending { // its End saw expectsConn and did not do this
		p.connEnded(End{Returns: p.sock.cfg.Away > 0})
	}
	return errLate
}
