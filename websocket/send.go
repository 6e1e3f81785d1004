package websocket

import (
	"net"
	"slices"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Send writes p as a message without waiting for the peer, within what Config.Slow, Backlog and BacklogBytes say. What one goroutine
// sends and writes, by whatever method, arrives in that order, but for a message that took the place of another (SendKey).
// p is neither changed nor used afterwards. The error is net.ErrClosed after Close and after the end, and ErrSlowPeer when
// CloseWhenSlow has ended the connection.
//
// Send returns when the message is accepted. What is accepted leaves before Close ends the connection; see Dropped for what
// was not sent in the end.
func (c *Conn) Send(t MessageType, p []byte) error { return c.SendKey("", t, p) }

// SendKey is Send of a message that takes the place of one with the same key that still waits, if Config.Slow is
// LatestPerKey. The empty key is nobody's.
func (c *Conn) SendKey(key string, t MessageType, p []byte) error { return c.send(key, t, p, true) }

// send is SendKey. Without wait BlockWhenSlow drops what it has no room for.
func (c *Conn) send(key string, t MessageType, p []byte, wait bool) error {
	frame, err := c.frameOf(t, p)
	if err != nil {
		return err
	}
	return c.post(parcel{frame: frame, key: key}, wait)
}

// frameOf returns p as a message that may be dropped, leased.
func (c *Conn) frameOf(t MessageType, p []byte) ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	h := finalHeader(t)
	if c.compresses(len(p)) && c.compress.independent() {
		squeezed, err := c.compress.message(p)
		if err != nil {
			return nil, err
		}
		defer bufpool.Put(squeezed)
		if len(squeezed) < len(p) {
			h.RSV, p = wsframe.RSV1, squeezed
		}
	}
	return c.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], h, p), nil
}

// SendPrepared is Send of a message that has been made ready for many connections.
func (c *Conn) SendPrepared(m *PreparedMessage) error { return c.sendPrepared(m, true) }

func (c *Conn) sendPrepared(m *PreparedMessage, wait bool) error {
	if err := m.t.check(); err != nil {
		return err
	}
	if c.role == wsframe.Client {
		return c.send(m.key, m.t, m.payload(), wait) // RFC 6455 §5.3: each frame of a client has a key of its own
	}
	return c.post(parcel{shared: m.frameFor(c).Retain(), key: m.key, prepared: m}, wait)
}

// post gives p to the connection, or to the outbox. Without wait BlockWhenSlow drops what it has no room for.
func (c *Conn) post(p parcel, wait bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.mayWrite(); err != nil {
		p.release()
		return c.refused(err)
	}
	if c.outbox == nil || !c.outbox.moving {
		if ok, err := c.offer(&p); ok || err != nil {
			p.release()
			return c.refused(err)
		}
	}
	if err := c.enqueue(p, wait); err != nil {
		p.release()
		return c.refused(err)
	}
	return nil
}

// refused returns err as who sends is told it; c.mu is held.
func (c *Conn) refused(err error) error {
	if err = writeError(err); err == net.ErrClosed && c.err == ErrSlowPeer {
		return ErrSlowPeer
	}
	return err
}

// enqueue puts p into the outbox as the policy says; c.mu is held.
func (c *Conn) enqueue(p parcel, wait bool) error {
	o := c.outboxOf()
	if err := o.refuses(); err != nil {
		return err
	}
	freed := 0
	if c.set.slow == LatestPerKey && p.key != "" {
		if i := slices.IndexFunc(o.line, func(q parcel) bool { return q.key == p.key }); i >= 0 {
			if c.replace(i, &p) {
				return nil
			}
			freed = freedBy(&o.line[i], &p)
			o.drop(i)
		}
	}
	for c.full(&p, freed) {
		switch c.set.slow {
		case BlockWhenSlow:
			if !wait {
				o.dropped++
				return ErrDropped
			}
			o.room.Wait()
			if err := o.refuses(); err != nil {
				return err
			}
		case CloseWhenSlow:
			o.dropped++
			c.dismiss()
			return ErrSlowPeer
		default:
			i := slices.IndexFunc(o.line, func(q parcel) bool { return q.message() })
			freed += freedBy(&o.line[i], &p)
			o.drop(i)
		}
	}
	c.stand(p)
	return nil
}

// replace puts p in the place of the message at i, and reports whether there is room for it. c.mu is held.
func (c *Conn) replace(i int, p *parcel) bool {
	o := c.outbox
	old := o.line[i]
	o.count(&old, -1)
	if c.full(p, freedBy(&old, p)) {
		o.count(&old, 1)
		return false
	}
	old.release()
	p.settle()
	o.count(p, 1)
	o.line[i] = *p
	o.dropped++
	return true
}

// freedBy returns how many bytes of the program's backlogs p may use when old is dropped for it. Other backlogs may hold a
// prepared message until they drop it as well, so it frees memory for another prepared message only.
func freedBy(old, p *parcel) int {
	if old.prepared != nil && p.prepared == nil {
		return 0
	}
	return old.size()
}
