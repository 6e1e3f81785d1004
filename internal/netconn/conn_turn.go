package netconn

import (
	"context"
	"net"
)

// TakeTurn waits until no message is being written in parts and a part of size bytes would not have to wait, or until ctx
// ends. Then the caller's message begins: until PassTurn only it writes parts, and every Whole waits. It fails with what
// writing fails with. Any goroutine may call it.
func (c *Conn) TakeTurn(ctx context.Context, size int) error {
	c.lock()
	defer c.unlock()
	for c.err == nil && c.end == endNone {
		if !c.parted && !(c.sending && (c.full(size) || size >= gatherFrom)) {
			c.parted = true
			return nil
		}
		if err := c.await(ctx); err != nil {
			return err
		}
	}
	if c.err != nil {
		return c.err
	}
	return net.ErrClosed
}

// TryTurn takes the turn if nobody has it, even if nothing can be written any more.
func (c *Conn) TryTurn() bool {
	c.lock()
	defer c.unlock()
	taken := !c.parted
	c.parted = true
	return taken
}

// PassTurn ends a message that was written in parts.
func (c *Conn) PassTurn() {
	c.lock()
	defer c.unlock()
	c.parted = false
	c.wakeWriters()
}

// await waits for a change that may let a waiting writer go on, until ctx ends; c.mu is held.
func (c *Conn) await(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		c.waitRoom()
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.wakeWriters()
	})
	defer stop()
	c.waitRoom()
	return nil
}

// wakeWriters has everybody look again who waits for the flusher or for the turn; c.mu is held.
func (c *Conn) wakeWriters() {
	if c.room != nil {
		c.room.Broadcast()
	}
}
