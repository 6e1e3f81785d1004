package websocket

import (
	"context"
	"io"
	"math"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// beginMessage waits until no other message is being written, and returns a writer for one.
func (s *sender) beginMessage(ctx context.Context, t MessageType) (io.WriteCloser, error) {
	switch {
	case !t.valid():
		return nil, errType
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !s.writable():
		return nil, s.notWritableError()
	}
	begin := func() error { return s.link.BeginParts(ctx, 0) }
	if err := s.inTurn(ctx, begin); err != nil {
		return nil, writeError(err)
	}
	return &messageWriter{s: s, ctx: ctx, opcode: wsframe.Opcode(t)}, nil
}

// messageWriter writes a message in fragments.
type messageWriter struct {
	s          *sender // nil after Close
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
	if w.s == nil {
		return 0, errPartOver
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
	s := w.s
	if s == nil {
		return errPartOver
	}
	w.s = nil
	if w.err == nil {
		w.s = s
		w.err = w.frame(w.buf, true)
		w.s = nil
	}
	bufpool.Put(w.buf)
	w.buf = nil
	s.link.EndParts()
	return w.err
}

// frame writes p as the next frame of the message, unless ctx is done.
func (w *messageWriter) frame(p []byte, last bool) error {
	err := w.ctx.Err()
	if err == nil {
		err = w.next(p, last)
	}
	if err != nil && w.ctx.Err() != nil && w.mustFinish {
		w.s.fail(err)
		w.s.owner().cutNow()
	}
	return err
}

// next is frame without the checks of ctx.
func (w *messageWriter) next(p []byte, last bool) error {
	s := w.s
	kind, first := w.kind(last), !w.begun
	switch {
	case first && last && s.compresses(len(p)):
		w.mustFinish = !s.compress.Independent()
		return s.writeCompressed(w.ctx, netconn.Part, MessageType(w.opcode), p)
	case first:
		w.begun, w.compressed = true, !last && s.compresses(math.MaxInt)
	}
	if !w.compressed {
		return w.write(kind, p)
	}
	w.mustFinish = w.mustFinish || !s.compress.Independent()
	block, err := s.compress.Compress(p)
	if err != nil {
		return err
	}
	if !last {
		block = appendTail(block)
	}
	defer bufpool.Put(block)
	if first && len(block) >= len(p) && s.compress.Independent() {
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
	err := w.s.writeFrame(w.ctx, netconn.Part, k, p)
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
