package websocket

import (
	"context"
	"math/rand/v2"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Deadlines that have always passed, and that never do.
var (
	aLongTimeAgo = time.Unix(1, 0)
	noDeadline   time.Time
)

// WriteMessage writes p as a message in one frame and returns when the connection has taken it. When the peer does not
// take what has been written before it waits, up to the write deadline. Text must be UTF-8, which is not checked. p is
// neither changed nor used afterwards. After Close and after the end it fails with net.ErrClosed.
func (c *Conn) WriteMessage(t MessageType, p []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writeWhole(t, p)
}

// writeWhole writes p as a message in one frame. c.writing is held.
func (c *Conn) writeWhole(t MessageType, p []byte) error {
	if c.compress != nil && len(p) >= c.set.threshold {
		return c.writeCompressed(t, p)
	}
	return c.writeFrame(wsframe.Header{Kind: wsframe.Kind{Opcode: wsframe.Opcode(t), Fin: true}}, p)
}

// WriteContext is WriteMessage that gives up when ctx ends before the first byte has been taken; then the error is
// ctx's and the connection as it was. Later the message is taken whole.
func (c *Conn) WriteContext(ctx context.Context, t MessageType, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.t.WaitRoom(ctx, wsframe.MaxHeaderSize+len(p)); err != nil {
		return writeError(err)
	}
	return c.WriteMessage(t, p)
}

// writeCompressed writes p as a compressed message, unless that would be no shorter and nothing that follows builds on
// it (RFC 7692 §6 lets either stand anywhere). c.writing is held.
func (c *Conn) writeCompressed(t MessageType, p []byte) error {
	squeezed, err := c.compress.message(p)
	if err != nil {
		return err
	}
	defer bufpool.Put(squeezed)
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: wsframe.Opcode(t), Fin: true, RSV: wsframe.RSV1}}
	if len(squeezed) >= len(p) && c.compress.independent() {
		h.RSV, squeezed = 0, p
	}
	return c.writeFrame(h, squeezed)
}

// writeFrame writes p with h before it as one unit. Of control frames and of the frames of a message that belong
// together the callers see to the order.
func (c *Conn) writeFrame(h wsframe.Header, p []byte) error {
	h.Length = int64(len(p))
	if c.role == wsframe.Server {
		var head [wsframe.MaxHeaderSize]byte
		return writeError(c.t.WriteTwo(wsframe.Append(head[:0], h), p))
	}
	frame := appendMasked(bufpool.Get(h.Size() + 4 + len(p))[:0], h, p)
	defer bufpool.Put(frame)
	_, err := c.t.Write(frame)
	return writeError(err)
}

// appendMasked appends the frame as a client sends it (RFC 6455 §5.3), and leaves p alone.
func appendMasked(dst []byte, h wsframe.Header, p []byte) []byte {
	h.Masked, h.Key = true, rand.Uint32()
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = dst[:at+len(p)]
	mask.XOR(dst[at:], p, h.Key)
	return dst
}

// control returns a control frame, leased.
func (c *Conn) control(o wsframe.Opcode, p []byte) []byte {
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: o, Fin: true}, Length: int64(len(p))}
	frame := bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0]
	if c.role == wsframe.Client {
		return appendMasked(frame, h, p)
	}
	return append(wsframe.Append(frame, h), p...)
}

// pong answers a ping (RFC 6455 §5.5.3). A peer that sends pings and does not read is not waited for: it misses pongs.
func (c *Conn) pong(p []byte) error {
	frame := c.control(wsframe.Pong, p)
	defer bufpool.Put(frame)
	if _, err := c.t.Post(frame, false); err != net.ErrClosed { // forgiven after our close frame
		return err
	}
	return nil
}

// writeError returns err as users are told it.
func writeError(err error) error {
	if err == netconn.ErrAbort {
		return net.ErrClosed
	}
	return err
}
