package websocket

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// errLeft is the error of a reader or a writer whose message is no longer the current one.
var errLeft = errors.New("websocket: the message has ended or is no longer the current one")

// NextReader waits for a message to begin. It returns the message's type and a reader of its payload, which delivers it
// as it arrives; no more than a buffer of it is held in memory. A compressed message is an exception: it is received and
// decompressed as a whole. Config.ReadLimit applies to all messages.
//
// The reader returns io.EOF after the last byte; its other errors are those of ReadMessage. Text that is not UTF-8 ends
// the connection at the first bad byte. After a read deadline, NextReader and the reader can continue where they
// stopped. A call of NextReader or ReadMessage before io.EOF discards the rest of the message, and the old reader cannot
// be used any more. Pings are only answered while a read is in progress.
func (c *Conn) NextReader() (MessageType, io.Reader, error) {
	c.reading.Lock()
	defer c.unlockReading()
	return c.nextReader(context.Background())
}

// NextReaderContext is like NextReader, but it and the reads of the reader return ctx's error when ctx is done. The
// connection is unaffected, and the next message can be read.
func (c *Conn) NextReaderContext(ctx context.Context) (t MessageType, r io.Reader, err error) {
	if ctx.Done() == nil {
		return c.NextReader()
	}
	err = c.readUntil(ctx, func() (err error) {
		t, r, err = c.nextReader(ctx)
		return err
	})
	return t, r, err
}

// nextReader is NextReader with a context for the reads of the reader. c.reading must be held.
func (c *Conn) nextReader(ctx context.Context) (MessageType, io.Reader, error) {
	if c.onMessage != nil {
		return 0, nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return 0, nil, err
	}
	if err := c.readExpired(); err != nil {
		return 0, nil, err
	}
	r := &messageReader{c: c, ctx: ctx}
	if !c.in.whole && !c.in.begun() {
		_, ended, err := c.stream(nil)
		if err != nil {
			return 0, nil, err
		}
		if ended {
			r.err = io.EOF // the message is empty
			return c.in.messageType(), r, nil
		}
	}
	if !c.in.whole && c.in.seq.Compressed() {
		p, err := c.read(nil)
		if err != nil {
			return 0, nil, err
		}
		c.in.keep(p)
	}
	c.in.stream = r
	return c.in.messageType(), r, nil
}

// messageReader reads the payload of one message.
type messageReader struct {
	c   *Conn
	ctx context.Context
	at  int   // how many bytes of the gathered payload have been read
	err error // sticky: every later read fails with it
}

// Read implements io.Reader.
func (r *messageReader) Read(p []byte) (n int, err error) {
	if r.ctx.Done() == nil {
		r.c.reading.Lock()
		defer r.c.unlockReading()
		return r.read(p)
	}
	err = r.c.readUntil(r.ctx, func() (err error) {
		n, err = r.read(p)
		return err
	})
	return n, err
}

// read is Read. c.reading must be held.
func (r *messageReader) read(p []byte) (int, error) {
	c := r.c
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	if err := c.readExpired(); err != nil {
		return 0, err
	}
	if c.in.msg != nil {
		if n := r.gathered(p); n > 0 || r.err != nil {
			return n, r.errAfter(n)
		}
	}
	n, ended, err := c.stream(p)
	switch {
	case ended:
		r.err, c.in.stream = io.EOF, nil
	case err == netconn.ErrInterrupted || errors.Is(err, os.ErrDeadlineExceeded):
		return 0, err
	case err != nil:
		r.err = err
	}
	return n, r.errAfter(n)
}

// errAfter returns the error that goes with n bytes: errors are returned after the last byte, not with it.
func (r *messageReader) errAfter(n int) error {
	if n > 0 {
		return nil
	}
	return r.err
}

// gathered reads payload that was gathered before the reader existed: a whole message, or the beginning of one.
func (r *messageReader) gathered(p []byte) int {
	in := &r.c.in
	n := copy(p, in.msg[r.at:])
	if r.at += n; r.at < len(in.msg) {
		return n
	}
	if in.whole {
		in.whole, in.stream, r.err = false, nil, io.EOF
	} else {
		in.streamed += int64(len(in.msg))
	}
	bufpool.Put(in.msg)
	in.msg = nil
	return n
}
