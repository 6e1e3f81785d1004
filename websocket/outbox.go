package websocket

import (
	"net"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// outbox is the line of items that wait for room in the connection's output queue: messages for a slow peer, turns of
// goroutines whose writes must come after those, and at the end the close frame. Conn.mu guards it. The line moves on
// when the queue has room again; no goroutine waits for that.
type outbox struct {
	line        []outboxItem
	moving      bool // something is in line, or a goroutine has its turn to write: moveOn will be called
	closeQueued bool // the close frame is in line or has left it: nothing more is accepted
	messages    int  // number of messages in line
	bytes       int64
	dropped     uint64
	room        *sync.Cond
	err         error // the write error, once nothing can be sent any more
}

// outboxItem is one item in line: a message, a turn, or the close frame.
type outboxItem struct {
	frame  []byte          // from the pool
	shared *bufpool.Shared // instead of frame, for prepared messages
	key    string
	turn   chan struct{} // instead of a frame: closed when the goroutine that waits for it may write
	unit   netconn.Unit  // Whole for a message, Final for the close frame

	prepared *PreparedMessage // the message that shared belongs to
}

func (p *outboxItem) message() bool { return p.turn == nil && p.unit == netconn.Whole }

func (p *outboxItem) release() {
	if p.shared != nil {
		p.shared.Release()
	} else {
		bufpool.Put(p.frame)
	}
}

// outboxOf returns c's outbox, which it makes if needed. c.mu must be held.
func (c *Conn) outboxOf() *outbox {
	if c.outbox == nil {
		c.outbox = &outbox{room: sync.NewCond(&c.mu)}
	}
	return c.outbox
}

// addToLine appends p to the line. c.mu must be held.
func (c *Conn) addToLine(p outboxItem) {
	o := c.outboxOf()
	if p.message() {
		p.shrink()
		o.count(&p, 1)
	}
	o.line = append(o.line, p)
	if !o.moving {
		o.moving = true
		c.inLine.Store(true)
		c.t.OnRoom(c.moveOn)
	}
}

// count updates the counters for a message that enters (n is 1) or leaves (n is -1) the line.
func (o *outbox) count(p *outboxItem, n int) {
	o.messages += n
	o.bytes += int64(n * p.size())
	p.charge(n > 0)
}

// take removes the item at i from the line.
func (o *outbox) take(i int) outboxItem {
	p := o.line[i]
	o.line = slices.Delete(o.line, i, i+1)
	if p.message() {
		o.count(&p, -1)
		o.room.Signal()
	}
	return p
}

// drop removes the message at i from the line and counts it as dropped.
func (o *outbox) drop(i int) {
	p := o.take(i)
	p.release()
	o.dropped++
}

// clear drops all messages in line, ends all turns, and returns the close frame if it was in line.
func (o *outbox) clear() (last []byte) {
	for len(o.line) > 0 {
		switch p := &o.line[0]; {
		case p.message():
			o.drop(0)
			continue
		case p.turn != nil:
			close(p.turn)
		default:
			last = p.frame
		}
		o.take(0)
	}
	o.room.Broadcast()
	return last
}

// abandon drops everything in line because the connection is over. o may be nil.
func (o *outbox) abandon() {
	if o == nil {
		return
	}
	if o.err == nil {
		o.err = net.ErrClosed
	}
	bufpool.Put(o.clear())
}

// closedError returns the reason why nothing more is accepted, or nil.
func (o *outbox) closedError() error {
	switch {
	case o.err != nil:
		return o.err
	case o.closeQueued:
		return net.ErrClosed
	}
	return nil
}

// Dropped returns the number of messages of Send and its variants that were not sent because of Config.Slow, or that
// still waited in the backlog when the connection ended.
//
// It does not count messages that had left the backlog by then, although they may be lost with the connection, for
// example when CloseNow cuts off a peer that is behind: 64 KiB or one message being sent, as much behind it, and the
// data in the system's socket buffer. SendFunc reports the outcome of each message.
func (c *Conn) Dropped() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox == nil {
		return 0
	}
	return c.outbox.dropped
}
