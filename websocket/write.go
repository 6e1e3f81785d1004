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

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// noDeadline is the zero time, which removes a deadline.
var noDeadline time.Time

// WriteMessage writes p as a message in one frame. It returns once the connection has accepted it: sent it or copied it.
// p is neither changed nor used afterwards. Text must be UTF-8, which is not checked; a t that is neither text nor
// binary is refused. It is safe for concurrent use.
//
// Messages of one goroutine arrive in the order of its calls, including calls of Send and NextWriter. If messages of
// Send are still waiting, WriteMessage waits until they are sent.
//
// While the peer does not take what was written before, WriteMessage waits, until the write deadline; if that passes while
// something is being sent, the connection ends with os.ErrDeadlineExceeded. A peer that takes less than 240 bytes a second
// is given up likewise, after 20 seconds to 15 minutes: as long as its buffers may hide that it reads. After Close and
// after the end of the connection the error is net.ErrClosed.
func (c *Conn) WriteMessage(t MessageType, p []byte) error {
	return c.write(context.Background(), t, p)
}

// WriteContext is like WriteMessage, but returns ctx's error when ctx is done. The connection is unaffected. If the message
// had to wait for others, it is not sent. If it has begun to be sent, it goes on: what the peer has not taken was copied,
// and later messages follow it. A message that is compressed with context takeover is waited for once it has begun.
func (c *Conn) WriteContext(ctx context.Context, t MessageType, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.write(ctx, t, p)
}

// write writes a message.
func (c *Conn) write(ctx context.Context, t MessageType, p []byte) error {
	if !t.valid() {
		return errType
	}
	if c.over.Load() || c.t.WriteExpired() {
		return c.notWritableError()
	}
	if c.inLine.Load() {
		return c.writeInTurn(ctx, t, p)
	}
	if !c.compresses(len(p)) {
		return c.writeFrame(ctx, netconn.Whole, finalKind(t), p)
	}
	return c.compressAndWrite(ctx, t, p)
}

// writable reports whether something can be written now: the connection is not over, and the write deadline has not
// passed.
func (c *Conn) writable() bool { return !c.over.Load() && !c.t.WriteExpired() }

// notWritableError returns why nothing can be written now. If only the write deadline has passed, the connection is not
// over.
func (c *Conn) notWritableError() error {
	if c.over.Load() {
		return net.ErrClosed
	}
	if err := c.t.WriteError(); err != nil {
		return writeError(err)
	}
	return os.ErrDeadlineExceeded
}

// writeInTurn writes a message after those that wait in line.
//
//go:noinline
func (c *Conn) writeInTurn(ctx context.Context, t MessageType, p []byte) error {
	return c.inTurn(ctx, func() error {
		if !c.compresses(len(p)) {
			return c.writeFrame(ctx, netconn.Whole, finalKind(t), p)
		}
		return c.compressAndWrite(ctx, t, p)
	})
}

// compressAndWrite writes a message that is long enough to be compressed.
//
//go:noinline
func (c *Conn) compressAndWrite(ctx context.Context, t MessageType, p []byte) error {
	if c.compress.independent() {
		return c.writeCompressed(ctx, netconn.Whole, t, p)
	}
	if err := c.t.BeginParts(ctx, len(p)); err != nil { // messages must be sent in the order in which they are compressed
		return writeError(err)
	}
	defer c.t.EndParts()
	return c.writeCompressed(context.Background(), netconn.Part, t, p)
}

// finalKind returns the kind of a message in one frame.
func finalKind(t MessageType) wsframe.Kind { return wsframe.Final(wsframe.Opcode(t)) }

// writeCompressed writes p as a compressed message. It sends p as it is if compression does not make it shorter and no
// later message depends on it: RFC 7692 §6 allows a mix.
func (c *Conn) writeCompressed(ctx context.Context, u netconn.Unit, t MessageType, p []byte) error {
	compressed, err := c.compress.message(p)
	if err != nil {
		return err
	}
	defer bufpool.Put(compressed)
	k := finalKind(t)
	if len(compressed) < len(p) || !c.compress.independent() {
		k, p = k.With(wsframe.RSV1), compressed
	}
	return c.writeFrame(ctx, u, k, p)
}

// writeFrame writes p as a frame. With unit Part, the caller has begun the message that the frame belongs to.
func (c *Conn) writeFrame(ctx context.Context, u netconn.Unit, k wsframe.Kind, p []byte) error {
	if c.role == wsframe.Client {
		return c.writeMasked(ctx, u, k, p)
	}
	var head [wsframe.MaxHeaderSize]byte
	h := wsframe.Header{Kind: k, Length: int64(len(p))}
	return writeError(c.t.WriteUnit(ctx, u, wsframe.Append(head[:0], h), p))
}

// writeMasked is writeFrame for a client (RFC 6455 §5.3).
//
//go:noinline
func (c *Conn) writeMasked(ctx context.Context, u netconn.Unit, k wsframe.Kind, p []byte) error {
	frame := appendMasked(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], k, p)
	defer bufpool.Put(frame)
	return writeError(c.t.WriteUnit(ctx, u, nil, frame))
}

// appendFrame appends a frame with p, masked if c is a client.
func (c *Conn) appendFrame(dst []byte, k wsframe.Kind, p []byte) []byte {
	if c.role == wsframe.Client {
		return appendMasked(dst, k, p)
	}
	return append(wsframe.Append(dst, wsframe.Header{Kind: k, Length: int64(len(p))}), p...)
}

// appendMasked appends a frame with a masked copy of p (RFC 6455 §5.3). p is not changed.
func appendMasked(dst []byte, k wsframe.Kind, p []byte) []byte {
	h := wsframe.Header{Kind: k, Masked: true, Key: rand.Uint32(), Length: int64(len(p))}
	dst = wsframe.Append(dst, h)
	at := len(dst)
	dst = dst[:at+len(p)]
	mask.XOR(dst[at:], p, h.Key)
	return dst
}

// control returns a control frame in a buffer from the pool.
func (c *Conn) control(o wsframe.Opcode, p []byte) []byte {
	return c.appendFrame(bufpool.Get(wsframe.MaxHeaderSize + len(p))[:0], wsframe.Final(o), p)
}

// pong answers a ping (RFC 6455 §5.5.3). It does not wait for a peer that sends pings but does not read: such a peer
// misses pongs, and so does any peer while the write deadline has passed.
func (c *Conn) pong(p []byte) error {
	if c.t.WriteExpired() {
		return nil
	}
	frame := c.control(wsframe.Pong, p)
	defer bufpool.Put(frame)
	if _, err := c.t.Post(netconn.Part, frame); err != net.ErrClosed { // ErrClosed: behind our close frame
		return err
	}
	return nil
}

// writeError is userError that returns nil for nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return userError(err)
}

// userError translates an internal error into the one that users get. Errors from lower layers get the prefix
// "websocket: ".
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
