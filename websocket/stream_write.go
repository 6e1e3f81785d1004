package websocket

import (
	"context"
	"io"
	"math"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// NextWriter waits until no other message is being written, and returns a writer for a message of unknown length. It
// sends a frame of 16 KiB or more whenever its buffer is full; Close sends the rest and ends the message (RFC 6455
// §5.4). With permessage-deflate, a message longer than the buffer is compressed buffer by buffer, unless the first one
// does not get shorter.
//
// Until Close, other messages wait: WriteMessage for its turn, Send and its variants as for a slow peer. Pings and close
// frames may be sent in between. So Close must be called, also after an error, which it returns again. A writer must not
// be used concurrently. It neither changes nor keeps the slices it is passed. In the order of messages, the message has
// the place of the call of NextWriter. NextWriter fails like WriteMessage; a frame of its writer that is to be sent
// after the write deadline ends the connection.
func (c *Conn) NextWriter(t MessageType) (io.WriteCloser, error) {
	return c.NextWriterContext(context.Background(), t)
}

// NextWriterContext is like NextWriter, but gives up when ctx is done. Writes to the writer do so too, and its Close,
// which must be called all the same. The error is ctx's. If nothing of the message has been sent, the connection is
// unaffected; otherwise it is cut off, because the message cannot be finished.
func (c *Conn) NextWriterContext(ctx context.Context, t MessageType) (io.WriteCloser, error) {
	switch {
	case !t.valid():
		return nil, errType
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !c.writable():
		return nil, c.notWritableError()
	}
	begin := func() error { return c.t.BeginParts(ctx, 0) }
	if err := c.inTurn(ctx, begin); err != nil {
		return nil, writeError(err)
	}
	return &messageWriter{c: c, ctx: ctx, opcode: wsframe.Opcode(t)}, nil
}

// messageWriter writes a message in fragments.
type messageWriter struct {
	c          *Conn // nil after Close
	ctx        context.Context
	opcode     wsframe.Opcode
	compressed bool // the message is compressed
	begun      bool // the first frame has been written
	mustFinish bool // part of the message has been sent, or later messages depend on it: it must be finished
	buf        []byte
	err        error
}

const (
	fragment    = 16 << 10 // size of the buffer, which becomes a frame
	maxFragment = 64 << 10 // maximum payload of a frame
)

// Write implements io.Writer.
func (w *messageWriter) Write(p []byte) (n int, err error) {
	if w.c == nil {
		return 0, errLeft
	}
	for w.err == nil && n < len(p) {
		rest := p[n:]
		if len(w.buf) == 0 && len(rest) > fragment {
			rest = rest[:min(len(rest)-1, maxFragment)] // keep a byte for the frame that ends the message
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

// Close writes the last frame and lets other messages be written.
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

// frame writes p as the next frame of the message, unless ctx is done.
func (w *messageWriter) frame(p []byte, last bool) error {
	err := w.ctx.Err()
	if err == nil {
		err = w.next(p, last)
	}
	if err != nil && w.ctx.Err() != nil && w.mustFinish {
		w.c.fail(err)
		w.c.CloseNow()
	}
	return err
}

// next is frame without the checks of ctx.
func (w *messageWriter) next(p []byte, last bool) error {
	c := w.c
	kind, first := w.kind(last), !w.begun
	switch {
	case first && last && c.compresses(len(p)):
		w.mustFinish = !c.compress.independent()
		return c.writeCompressed(w.ctx, netconn.Part, MessageType(w.opcode), p)
	case first:
		w.begun, w.compressed = true, !last && c.compresses(math.MaxInt)
	}
	if !w.compressed {
		return w.write(kind, p)
	}
	w.mustFinish = w.mustFinish || !c.compress.independent()
	block, err := c.compress.message(p)
	if err != nil {
		return err
	}
	if !last {
		block = appendTail(block)
	}
	defer bufpool.Put(block)
	if first && len(block) >= len(p) && c.compress.independent() {
		w.compressed = false
		return w.write(kind, p)
	}
	if first {
		kind = kind.With(wsframe.RSV1)
	}
	return w.write(kind, block)
}

// kind returns the kind of the next frame, without the bit of its compression.
func (w *messageWriter) kind(last bool) wsframe.Kind {
	opcode := wsframe.Continuation
	if !w.begun {
		opcode = w.opcode
	}
	if last {
		return wsframe.Final(opcode)
	}
	return wsframe.Kind(opcode)
}

func (w *messageWriter) write(k wsframe.Kind, p []byte) error {
	err := w.c.writeFrame(w.ctx, netconn.Part, k, p)
	w.mustFinish = w.mustFinish || err == nil
	return err
}

// appendTail appends the four bytes that end a flushed run of DEFLATE blocks. They are only left out at the end of a
// message (RFC 7692 §7.2.1). block is a buffer from the pool.
func appendTail(block []byte) []byte {
	at := len(block)
	block = bufpool.Grow(block, at+4)
	copy(block[at:], "\x00\x00\xff\xff")
	return block
}
