package websocket

import (
	"context"
	"slices"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// offer posts p and reports whether there was room.
func (c *Conn) offer(p *parcel) (ok bool, err error) {
	if p.shared != nil {
		return c.t.PostShared(p.unit, p.shared)
	}
	return c.t.Post(p.unit, p.frame)
}

// moveOn gives what is in line to the queue as long as there is room. It is called when there is again, and by those whose
// turn has come when they have written.
func (c *Conn) moveOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.outbox
	for len(o.line) > 0 {
		if p := &o.line[0]; p.turn != nil {
			close(o.take(0).turn)
			return
		}
		ok, err := c.offer(&o.line[0])
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
	if o.last {
		c.rare.answer()
	}
}

// inTurn calls write when everything that was sent before is in the queue, or gives up when ctx ends.
func (c *Conn) inTurn(ctx context.Context, write func() error) error {
	c.mu.Lock()
	o := c.outbox
	if o == nil || !o.moving {
		c.mu.Unlock()
		return write()
	}
	if err := o.refuses(); err != nil {
		c.mu.Unlock()
		return err
	}
	turn := make(chan struct{})
	c.stand(parcel{turn: turn})
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

// leaveLine gives up a turn that has perhaps come.
func (c *Conn) leaveLine(turn chan struct{}) {
	c.mu.Lock()
	i := slices.IndexFunc(c.outbox.line, func(p parcel) bool { return p.turn == turn })
	if i >= 0 {
		c.outbox.take(i)
	}
	c.mu.Unlock()
	if i < 0 {
		c.moveOn()
	}
}
