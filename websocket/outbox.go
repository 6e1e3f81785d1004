package websocket

import (
	"net"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// outbox is the line of what waits for room in the connection's queue: messages for a peer that does not take them as fast
// as they come, whoever writes behind those, and in the end the close frame. c.mu guards it. It moves on when there is
// room again; no goroutine waits for that.
type outbox struct {
	line     []parcel
	moving   bool // something is in line, or whose turn has come writes: moveOn will be called
	last     bool // the close frame is in line, or has left it: nothing more is accepted
	messages int  // in line
	bytes    int64
	dropped  uint64
	room     *sync.Cond
	err      error // what writing failed with: nothing can be sent any more
}

// parcel is what stands in line.
type parcel struct {
	frame  []byte          // leased
	shared *bufpool.Shared // instead of frame: what a prepared message is for all connections
	key    string
	turn   chan struct{} // instead of either: closed when it is the turn of who waits for that
	unit   netconn.Unit  // Final is the close frame

	prepared *PreparedMessage // whose shared is
}

func (p *parcel) message() bool { return p.turn == nil && p.unit == netconn.Whole }

func (p *parcel) release() {
	if p.shared != nil {
		p.shared.Release()
	} else {
		bufpool.Put(p.frame)
	}
}

// outboxOf returns c's outbox; c.mu is held.
func (c *Conn) outboxOf() *outbox {
	if c.outbox == nil {
		c.outbox = &outbox{room: sync.NewCond(&c.mu)}
	}
	return c.outbox
}

// stand puts p at the end of the line; c.mu is held.
func (c *Conn) stand(p parcel) {
	o := c.outboxOf()
	if p.message() {
		p.settle()
		o.count(&p, 1)
	}
	o.line = append(o.line, p)
	if !o.moving {
		o.moving = true
		c.inLine.Store(true)
		c.t.OnRoom(c.moveOn)
	}
}

// count counts a message that is n more, or fewer, in line.
func (o *outbox) count(p *parcel, n int) {
	o.messages += n
	o.bytes += int64(n * p.size())
	p.charge(n > 0)
}

// take takes the parcel at i out of the line.
func (o *outbox) take(i int) parcel {
	p := o.line[i]
	o.line = slices.Delete(o.line, i, i+1)
	if p.message() {
		o.count(&p, -1)
		o.room.Signal()
	}
	return p
}

// drop takes the message at i out of the line and counts it as dropped.
func (o *outbox) drop(i int) {
	p := o.take(i)
	p.release()
	o.dropped++
}

// clear drops all messages in line, and returns the close frame if it was behind them. Who waits for a turn has it.
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

// abandon is told that the connection is over. What is in line is lost. o may be nil.
func (o *outbox) abandon() {
	if o == nil {
		return
	}
	if o.err == nil {
		o.err = net.ErrClosed
	}
	bufpool.Put(o.clear())
}

// refuses returns why nothing more is accepted.
func (o *outbox) refuses() error {
	switch {
	case o.err != nil:
		return o.err
	case o.last:
		return net.ErrClosed
	}
	return nil
}

// Dropped returns how many messages of Send and its kind Config.Slow has dropped, or refused for want of room, and how many
// still waited in the backlog when the connection ended.
//
// What had left the backlog by then is not among them, though it may be lost with the connection, as it is when CloseNow cuts
// off a peer that is behind: 64 KiB or one message under way, as much behind it, and what the system had not sent. SendFunc
// tells what has become of each message.
func (c *Conn) Dropped() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outbox == nil {
		return 0
	}
	return c.outbox.dropped
}
