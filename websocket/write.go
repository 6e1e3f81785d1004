package websocket

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// noDeadline never comes.
var noDeadline time.Time

// WriteMessage writes p as a message in one frame and returns when the connection has taken it. Text must be UTF-8, which
// is not checked. p is neither changed nor used afterwards. It may be called concurrently. Messages of one goroutine
// arrive in the order of its calls, also those of Send and NextWriter: behind what Send has left waiting, WriteMessage
// waits for its turn. A t that is neither text nor binary is refused.
//
// While the peer does not take what has been written before, WriteMessage waits, up to the write deadline. Without one
// the peer has 20 seconds to take some: if it takes less than 240 bytes a second in the last 15 of them, the connection
// ends as after the deadline, with os.ErrDeadlineExceeded. After Close and after the end the error is net.ErrClosed.
func (c *Conn) WriteMessage(t MessageType, p []byte) error {
	return c.write(context.Background(), t, p)
}

// WriteContext is WriteMessage that gives up when ctx ends before the first byte has been taken; then the error is
// ctx's and the connection as it was. Later the message is taken whole.
func (c *Conn) WriteContext(ctx context.Context, t MessageType, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.write(ctx, t, p)
}

// write writes a message.
func (c *Conn) write(ctx context.Context, t MessageType, p []byte) error {
	if err := t.check(); err != nil {
		return err
	}
	if err := c.mayWrite(); err != nil {
		return err
	}
	if c.inLine.Load() {
		return c.writeInTurn(ctx, t, p)
	}
	if !c.compresses(len(p)) {
		return c.writeFrame(ctx, netconn.Whole, finalHeader(t), p)
	}
	return c.squeeze(ctx, t, p)
}

// mayWrite returns why nothing can be written now: the connection is over, or the write deadline has passed.
func (c *Conn) mayWrite() error {
	if c.over.Load() || c.t.WriteExpired() {
		return c.late()
	}
	return nil
}

// late is what a write says that comes too late. If it is only the write deadline that has passed the connection is as it was.
//
//go:noinline
func (c *Conn) late() error {
	if c.over.Load() {
		return net.ErrClosed
	}
	if err := c.t.WriteError(); err != nil {
		return writeError(err)
	}
	return os.ErrDeadlineExceeded
}

// writeInTurn writes a message behind what waits in line.
//
//go:noinline
func (c *Conn) writeInTurn(ctx context.Context, t MessageType, p []byte) error {
	return c.inTurn(ctx, func() error {
		if !c.compresses(len(p)) {
			return c.writeFrame(ctx, netconn.Whole, finalHeader(t), p)
		}
		return c.squeeze(ctx, t, p)
	})
}

// squeeze writes a message that is long enough to be compressed.
//
//go:noinline
func (c *Conn) squeeze(ctx context.Context, t MessageType, p []byte) error {
	if c.compress.independent() {
		return c.writeCompressed(ctx, netconn.Whole, t, p)
	}
	if err := c.t.BeginParts(ctx, len(p)); err != nil { // messages are sent in the order in which they are compressed
		return writeError(err)
	}
	defer c.t.EndParts()
	return c.writeCompressed(context.Background(), netconn.Part, t, p)
}

// finalHeader returns the header of a message in one frame.
func finalHeader(t MessageType) wsframe.Header {
	return wsframe.Header{Kind: wsframe.Kind{Opcode: wsframe.Opcode(t), Fin: true}}
}

// writeCompressed writes p as a compressed message, unless that would be no shorter and nothing that follows builds on
// it (RFC 7692 §6 lets either stand anywhere).
func (c *Conn) writeCompressed(ctx context.Context, u netconn.Unit, t MessageType, p []byte) error {
	squeezed, err := c.compress.message(p)
	if err != nil {
		return err
	}
	defer bufpool.Put(squeezed)
	h := finalHeader(t)
	if len(squeezed) < len(p) || !c.compress.independent() {
		h.RSV, p = wsframe.RSV1, squeezed
	}
	return c.writeFrame(ctx, u, h, p)
}

// writeFrame writes p with h before it. A Part is of a message that its caller has begun.
func (c *Conn) writeFrame(ctx context.Context, u netconn.Unit, h wsframe.Header, p []byte) error {
	if c.role == wsframe.Client {
		return c.writeMasked(ctx, u, h, p)
	}
	var head [wsframe.MaxHeaderSize]byte
	h.Length = int64(len(p))
	return writeError(c.t.WriteUnit(ctx, u, wsframe.Append(head[:0], h), p))
}

// writeMasked is writeFrame of a client (RFC 6455 §5.3).
//
//go:noinline
func (c *Conn) writeMasked(ctx context.Context, u netconn.Unit, h wsframe.Header, p []byte) error {
	frame := appendMasked(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], h, p)
	defer bufpool.Put(frame)
	return writeError(c.t.WriteUnit(ctx, u, nil, frame))
}

// appendFrame appends h and p as c's role sends them.
func (c *Conn) appendFrame(dst []byte, h wsframe.Header, p []byte) []byte {
	if c.role == wsframe.Client {
		return appendMasked(dst, h, p)
	}
	h.Length = int64(len(p))
	return append(wsframe.Append(dst, h), p...)
}

// appendMasked appends the frame as a client sends it (RFC 6455 §5.3), and leaves p alone.
func appendMasked(dst []byte, h wsframe.Header, p []byte) []byte {
	h.Length, h.Masked, h.Key = int64(len(p)), true, rand.Uint32()
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = dst[:at+len(p)]
	mask.XOR(dst[at:], p, h.Key)
	return dst
}

// control returns a control frame, leased.
func (c *Conn) control(o wsframe.Opcode, p []byte) []byte {
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: o, Fin: true}}
	return c.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], h, p)
}

// pong answers a ping (RFC 6455 §5.5.3). A peer that sends pings and does not read is not waited for: it misses pongs, as
// it does when the write deadline has passed.
func (c *Conn) pong(p []byte) error {
	if c.t.WriteExpired() {
		return nil
	}
	frame := c.control(wsframe.Pong, p)
	defer bufpool.Put(frame)
	if _, err := c.t.Post(netconn.Part, frame); err != net.ErrClosed { // forgiven after our close frame
		return err
	}
	return nil
}

// writeError returns err, of writing, as users are told it.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return userError(err)
}

// userError returns err as users are told it. What comes from below says whose it is.
func userError(err error) error {
	switch err {
	case netconn.ErrAbort:
		return net.ErrClosed
	case netconn.ErrSlow:
		return os.ErrDeadlineExceeded
	case netconn.ErrPanic:
		return errPanicked
	case nil, net.ErrClosed, os.ErrDeadlineExceeded, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded:
		return err
	}
	if strings.HasPrefix(err.Error(), "websocket: ") {
		return err
	}
	return fmt.Errorf("websocket: %w", err)
}
