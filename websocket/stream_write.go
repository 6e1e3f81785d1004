package websocket

import (
	"context"
	"io"
	"math"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// NextWriter waits until no other message is being written and returns a writer of a message of unknown length. What
// is written to it leaves in frames of 16 KiB or more as its buffer fills, and the rest with Close, which ends the
// message (RFC 6455 §5.4). With permessage-deflate, a message that is longer is compressed buffer by buffer, unless
// that does not make the first one shorter.
//
// Until Close other messages wait: WriteMessage for its turn, Send and its kind as for a slow peer. Pings and close
// frames go between. So Close must be called, also after an error, which it returns again. A writer is for one
// goroutine at a time; what it is given is neither changed nor used after the call. The message's place in the order of
// those of its goroutine is that of the call of NextWriter, which fails as WriteMessage does.
func (c *Conn) NextWriter(t MessageType) (io.WriteCloser, error) {
	return c.NextWriterContext(context.Background(), t)
}

// NextWriterContext is NextWriter that gives up when ctx ends; so do the writes to the writer, and its Close, which must be
// called all the same. The error is ctx's then. If nothing of the message has left the connection is as it was; else it is
// broken off, as the message cannot be finished.
func (c *Conn) NextWriterContext(ctx context.Context, t MessageType) (io.WriteCloser, error) {
	for _, err := range []error{t.check(), ctx.Err(), c.mayWrite()} {
		if err != nil {
			return nil, err
		}
	}
	begin := func() error { return c.t.BeginParts(ctx, 0) }
	if err := c.inTurn(ctx, begin); err != nil {
		return nil, writeError(err)
	}
	return &messageWriter{c: c, ctx: ctx, opcode: wsframe.Opcode(t)}, nil
}

// messageWriter writes a message in fragments.
type messageWriter struct {
	c        *Conn // nil after Close
	ctx      context.Context
	opcode   wsframe.Opcode
	squeezed bool // the message is compressed
	begun    bool // the first frame has been written
	bound    bool // the message must be finished: something of it has left, or what follows builds on it
	buf      []byte
	err      error
}

const (
	fragment    = 16 << 10 // how much is gathered for a frame
	maxFragment = 64 << 10 // how much goes into a frame at most
)

// Write implements io.Writer.
func (w *messageWriter) Write(p []byte) (n int, err error) {
	if w.c == nil {
		return 0, errLeft
	}
	for w.err == nil && n < len(p) {
		rest := p[n:]
		if len(w.buf) == 0 && len(rest) > fragment {
			rest = rest[:min(len(rest)-1, maxFragment)] // the last byte is for a frame that ends the message
			w.err = w.frame(rest, false)
			n += len(rest)
			continue
		}
		if w.buf == nil {
			w.buf = bufpool.Get(fragment)[:0]
		}
		if len(w.buf) == fragment {
			w.err = w.frame(w.buf, false)
			w.buf = w.buf[:0]
			continue
		}
		k := min(len(rest), fragment-len(w.buf))
		w.buf = append(w.buf, rest[:k]...)
		n += k
	}
	return n, w.err
}

// Close writes the last frame and gives way to other messages.
func (w *messageWriter) Close() error {
	c := w.c
	if c == nil {
		return errLeft
	}
	w.c = nil
	if w.err == nil {
		w.c = c
		w.err = w.frame(w.buf, true)
		w.c = nil
	}
	bufpool.Put(w.buf)
	w.buf = nil
	c.t.EndParts()
	return w.err
}

// frame writes p as the next frame of the message, unless ctx ends.
func (w *messageWriter) frame(p []byte, last bool) error {
	err := w.ctx.Err()
	if err == nil {
		err = w.next(p, last)
	}
	if err != nil && err == w.ctx.Err() && w.bound {
		w.c.fail(err)
		w.c.CloseNow()
	}
	return err
}

// next is frame whatever ctx is.
func (w *messageWriter) next(p []byte, last bool) error {
	c := w.c
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: wsframe.Continuation, Fin: last}}
	first := !w.begun
	switch {
	case first && last && c.compresses(len(p)):
		w.bound = !c.compress.independent()
		return c.writeCompressed(w.ctx, netconn.Part, MessageType(w.opcode), p)
	case first:
		w.begun, w.squeezed, h.Opcode = true, !last && c.compresses(math.MaxInt), w.opcode
	}
	if !w.squeezed {
		return w.write(h, p)
	}
	w.bound = w.bound || !c.compress.independent()
	block, err := c.compress.message(p)
	if err != nil {
		return err
	}
	if !last {
		block = appendTail(block)
	}
	defer bufpool.Put(block)
	if first && len(block) >= len(p) && c.compress.independent() {
		w.squeezed = false
		return w.write(h, p)
	}
	if first {
		h.RSV = wsframe.RSV1
	}
	return w.write(h, block)
}

func (w *messageWriter) write(h wsframe.Header, p []byte) error {
	err := w.c.writeFrame(w.ctx, netconn.Part, h, p)
	w.bound = w.bound || err == nil
	return err
}

// appendTail appends the four octets that end a run of DEFLATE blocks, which are left out only at the end of a message
// (RFC 7692 §7.2.1). block is leased.
func appendTail(block []byte) []byte {
	at := len(block)
	block = bufpool.Grow(block, at+4)
	copy(block[at:], "\x00\x00\xff\xff")
	return block
}
