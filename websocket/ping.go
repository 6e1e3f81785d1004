package websocket

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// pings counts the pings of this process, to give each one a different payload.
var pings atomic.Uint64

// Ping sends a ping and waits for its pong, or until ctx is done (RFC 6455 §5.5.2). The connection must be read
// meanwhile, or the pong cannot be received. If the peer does not read, Ping waits for it to take what was sent before.
// A ping may be sent in the middle of a message that is being written with NextWriter (§5.4).
func (c *Conn) Ping(ctx context.Context) error {
	if !c.writable() {
		return c.notWritableError()
	}
	var payload [8]byte
	binary.BigEndian.PutUint64(payload[:], pings.Add(1))
	answered := make(chan struct{})
	c.mu.Lock()
	if c.over.Load() {
		c.mu.Unlock()
		return net.ErrClosed
	}
	r := c.rareState()
	if r.pongs == nil {
		r.pongs = map[string]chan struct{}{}
	}
	r.pongs[string(payload[:])] = answered
	c.mu.Unlock()
	defer c.forgetPing(string(payload[:]))
	frame := c.control(wsframe.Ping, payload[:])
	defer bufpool.Put(frame)
	if err := c.t.PostContext(ctx, netconn.Part, frame); err != nil {
		return writeError(err)
	}
	if err := c.t.Push(); err != nil {
		return writeError(err)
	}
	select {
	case <-answered:
		if c.over.Load() {
			return c.Err()
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Conn) forgetPing(payload string) {
	c.mu.Lock()
	delete(c.rare.pongs, payload)
	c.mu.Unlock()
}

// ponged wakes the call of Ping that waits for this pong. Other pongs are unsolicited and ignored (RFC 6455 §5.5.3).
func (c *Conn) ponged(payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rare == nil {
		return
	}
	if answered, ok := c.rare.pongs[string(payload)]; ok {
		close(answered)
		delete(c.rare.pongs, string(payload))
	}
}
