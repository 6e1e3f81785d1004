package websocket

import (
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// outbox holds messages for a peer that does not take them as fast as they come; c.mu guards it. Who waits last is
// last. They move on when there is room in the queue again; no goroutine waits for that.
type outbox struct {
	waiting []parcel
	moving  bool // there are some, or moveOn will be called
	room    *sync.Cond
	dropped uint64
	err     error // what writing failed with: nothing can be sent any more
}

// parcel is a message as it travels.
type parcel struct {
	frame  []byte          // leased
	shared *bufpool.Shared // instead of frame: what a prepared message is for all connections
	key    string
}

func (p parcel) release() {
	if p.shared != nil {
		p.shared.Release()
	} else {
		bufpool.Put(p.frame)
	}
}

// offer posts p and reports whether there was room.
func (c *Conn) offer(p parcel) (ok bool, err error) {
	if p.shared != nil {
		ok, err = c.t.PostShared(netconn.Whole, p.shared)
	} else {
		ok, err = c.t.Post(netconn.Whole, p.frame)
	}
	return ok, writeError(err)
}

// Send writes p as a message without waiting for the peer, within what Config.Slow and Backlog say. Messages sent are in
// the order of the calls; WriteMessage may overtake those that wait. p is neither changed nor used afterwards. The error
// is net.ErrClosed after the end and ErrSlowPeer when CloseWhenSlow has ended the connection.
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
	if c.role == wsframe.Client {
		return c.send(m.key, m.t, m.payload(), wait) // RFC 6455 §5.3: each frame of a client has a key of its own
	}
	return c.post(parcel{shared: m.frameFor(c).Retain(), key: m.key}, wait)
}

// post gives p to the connection, or to the outbox. Without wait BlockWhenSlow drops what it has no room for.
func (c *Conn) post(p parcel, wait bool) error {
	if c.t.WriteExpired() {
		p.release()
		return c.late()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox == nil || !c.outbox.moving {
		if ok, err := c.offer(p); ok || err != nil {
			p.release()
			return err
		}
	}
	if c.outbox == nil {
		c.outbox = &outbox{room: sync.NewCond(&c.mu)}
	}
	if err := c.enqueue(p, wait); err != nil {
		p.release()
		return err
	}
	if !c.outbox.moving {
		c.outbox.moving = true
		c.t.OnRoom(c.moveOn)
	}
	return nil
}

// enqueue puts p into the outbox as the policy says; c.mu is held.
func (c *Conn) enqueue(p parcel, wait bool) error {
	o := c.outbox
	if o.err != nil {
		return o.err
	}
	if c.set.slow == LatestPerKey && p.key != "" {
		if i := slices.IndexFunc(o.waiting, func(q parcel) bool { return q.key == p.key }); i >= 0 {
			o.waiting[i].release()
			o.waiting[i] = p
			o.dropped++
			return nil
		}
	}
	for len(o.waiting) >= int(c.set.backlog) {
		switch c.set.slow {
		case BlockWhenSlow:
			if !wait {
				o.dropped++
				return ErrDropped
			}
			o.room.Wait()
			if o.err != nil {
				return o.err
			}
		case CloseWhenSlow:
			o.dropped++
			go c.dismiss()
			return ErrSlowPeer
		default:
			o.waiting[0].release()
			o.waiting = slices.Delete(o.waiting, 0, 1)
			o.dropped++
		}
	}
	o.waiting = append(o.waiting, p)
	return nil
}

// dismiss ends the connection of a peer that is too slow.
func (c *Conn) dismiss() {
	c.fail(ErrSlowPeer)
	c.t.Abort()
}

// moveOn gives what waits to the queue as long as there is room. It is called when there is again.
func (c *Conn) moveOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.outbox
	for len(o.waiting) > 0 {
		p := o.waiting[0]
		if o.err == nil {
			ok, err := c.offer(p)
			if o.err = err; !ok && err == nil {
				c.t.OnRoom(c.moveOn)
				return
			}
		}
		o.waiting = slices.Delete(o.waiting, 0, 1)
		o.room.Signal()
		p.release()
	}
	o.moving = false
	o.room.Broadcast()
}

// Dropped returns how many messages were dropped because the peer was slow.
func (c *Conn) Dropped() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox == nil {
		return 0
	}
	return c.outbox.dropped
}
