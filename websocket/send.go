package websocket

import (
	"net"
	"slices"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Send queues p as a message and does not wait until it is sent. If the peer is slow and the backlog is full,
// Config.Slow decides; by default Send then waits for room. Messages of one goroutine, by whatever method, arrive in the
// order of its calls, except for a message that replaced another one (see SendKey). p is neither changed nor used
// afterwards.
//
// The error is net.ErrClosed after Close and after the end of the connection, and ErrSlowPeer if CloseWhenSlow has ended
// it. Close sends everything that was accepted before it ends the connection; Dropped counts messages that were not sent
// in the end.
func (c *Conn) Send(t MessageType, p []byte) error { return c.SendKey("", t, p) }

// SendKey is Send, with a key. If Config.Slow is LatestPerKey, the message replaces a waiting one with the same key. If
// it is too large for that place, the old message is dropped, and the new one waits behind the others. Messages with an
// empty key are not replaced.
func (c *Conn) SendKey(key string, t MessageType, p []byte) error { return c.send(key, t, p, true) }

// send is SendKey. If wait is false, BlockWhenSlow drops a message instead of waiting for room.
func (c *Conn) send(key string, t MessageType, p []byte, wait bool) error {
	frame, err := c.frameOf(t, p)
	if err != nil {
		return err
	}
	return c.post(outboxItem{frame: frame, key: key}, wait)
}

// frameOf returns a frame with p in a buffer from the pool. It is compressed only if no other message depends on it,
// because it may be dropped.
func (c *Conn) frameOf(t MessageType, p []byte) ([]byte, error) {
	if !t.valid() {
		return nil, errType
	}
	k := finalKind(t)
	if c.compresses(len(p)) && c.compress.independent() {
		compressed, err := c.compress.message(p)
		if err != nil {
			return nil, err
		}
		defer bufpool.Put(compressed)
		if len(compressed) < len(p) {
			k, p = k.With(wsframe.RSV1), compressed
		}
	}
	return c.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], k, p), nil
}

// SendPrepared is Send of a prepared message.
func (c *Conn) SendPrepared(m *PreparedMessage) error { return c.sendPrepared(m, true) }

func (c *Conn) sendPrepared(m *PreparedMessage, wait bool) error {
	if !m.t.valid() {
		return errType
	}
	if c.role == wsframe.Client {
		return c.send(m.key, m.t, m.payload(), wait) // RFC 6455 §5.3: a client masks each frame with a key of its own
	}
	return c.post(outboxItem{shared: m.frameFor(c).Retain(), key: m.key, prepared: m}, wait)
}

// post sends p, or puts it into the outbox. If wait is false, BlockWhenSlow drops it instead of waiting for room.
func (c *Conn) post(p outboxItem, wait bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.writable() {
		p.release()
		return c.sendError(c.notWritableError())
	}
	if c.outbox == nil || !c.outbox.moving {
		if ok, err := c.tryPost(&p); ok || err != nil {
			p.release()
			return c.sendError(err)
		}
	}
	if err := c.enqueue(p, wait); err != nil {
		p.release()
		return c.sendError(err)
	}
	return nil
}

// sendError returns err as the error of Send. c.mu must be held.
func (c *Conn) sendError(err error) error {
	if err = writeError(err); err == net.ErrClosed && c.err == ErrSlowPeer {
		return ErrSlowPeer
	}
	return err
}

// enqueue puts p into the outbox, as Config.Slow says. c.mu must be held, and is released while it waits for room.
func (c *Conn) enqueue(p outboxItem, wait bool) error {
	o := c.outboxOf()
	if err := o.closedError(); err != nil {
		return err
	}
	freed := 0
	if c.cfg.slow == LatestPerKey && p.key != "" {
		if i := slices.IndexFunc(o.line, func(q outboxItem) bool { return q.key == p.key }); i >= 0 {
			if c.replace(i, &p) {
				return nil
			}
			freed = freedBy(&o.line[i], &p)
			o.drop(i)
		}
	}
	for c.full(&p, freed) {
		switch c.cfg.slow {
		case BlockWhenSlow:
			if !wait {
				o.dropped++
				return ErrDropped
			}
			o.room.Wait()
			if err := o.closedError(); err != nil {
				return err
			}
		case CloseWhenSlow:
			o.dropped++
			c.closeSlowPeer()
			return ErrSlowPeer
		default:
			i := slices.IndexFunc(o.line, func(q outboxItem) bool { return q.message() })
			freed += freedBy(&o.line[i], &p)
			o.drop(i)
		}
	}
	c.addToLine(p)
	return nil
}

// replace puts p in the place of the message at i, and reports whether there is room for it. c.mu must be held.
func (c *Conn) replace(i int, p *outboxItem) bool {
	o := c.outbox
	old := o.line[i]
	o.count(&old, -1)
	if c.full(p, freedBy(&old, p)) {
		o.count(&old, 1)
		return false
	}
	old.release()
	p.shrink()
	o.count(p, 1)
	o.line[i] = *p
	o.dropped++
	return true
}

// freedBy returns how many bytes of backlogMemory p may use when old is dropped for it. Dropping a prepared message frees
// no memory while other backlogs have it. It only counts if p is prepared too: the other backlogs drop old for p as well.
func freedBy(old, p *outboxItem) int {
	if old.prepared != nil && p.prepared == nil {
		return 0
	}
	return old.size()
}
