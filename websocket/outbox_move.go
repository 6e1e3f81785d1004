package websocket

import (
	"context"
	"slices"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// tryPost hands p to the connection's output queue, and reports whether there was room.
func (c *Conn) tryPost(p *outboxItem) (ok bool, err error) {
	if p.shared != nil {
		return c.t.PostShared(p.unit, p.shared)
	}
	return c.t.Post(p.unit, p.frame)
}

// moveOn moves items from the line to the output queue while there is room. It runs when the queue has room again, and
// after a write that had its turn.
func (c *Conn) moveOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.outbox
	for len(o.line) > 0 {
		if p := &o.line[0]; p.turn != nil {
			close(o.take(0).turn)
			return
		}
		ok, err := c.tryPost(&o.line[0])
		if err != nil {
			o.err = writeError(err)
			bufpool.Put(o.clear())
			break
		}
		if !ok {
			c.t.OnRoom(c.moveOn)
			return
		}
		p := o.take(0)
		p.release()
	}
	o.moving = false
	c.inLine.Store(false)
	o.room.Broadcast()
	if o.closeQueued {
		c.rare.noteCloseSent()
	}
}

// inTurn calls write once everything that waits in line is in the output queue. It gives up when ctx is done.
func (c *Conn) inTurn(ctx context.Context, write func() error) error {
	c.mu.Lock()
	o := c.outbox
	if o == nil || !o.moving {
		c.mu.Unlock()
		return write()
	}
	if err := o.closedError(); err != nil {
		c.mu.Unlock()
		return err
	}
	turn := make(chan struct{})
	c.addToLine(outboxItem{turn: turn})
	c.mu.Unlock()
	select {
	case <-turn:
		defer c.moveOn()
		return write()
	case <-ctx.Done():
		c.leaveLine(turn)
		return ctx.Err()
	}
}

// leaveLine gives up a turn, which may just have come.
func (c *Conn) leaveLine(turn chan struct{}) {
	c.mu.Lock()
	i := slices.IndexFunc(c.outbox.line, func(p outboxItem) bool { return p.turn == turn })
	if i >= 0 {
		c.outbox.take(i)
	}
	c.mu.Unlock()
	if i < 0 {
		c.moveOn()
	}
}
