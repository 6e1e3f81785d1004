package websocket

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// errLeft is what a reader or a writer says whose message is no longer in hand.
var errLeft = errors.New("websocket: the message has ended or was left for the next one")

// NextReader waits for a message to begin, and returns its type and a reader of its payload as it arrives: no more than
// a buffer of it is held at any time. Messages that were compressed are the exception: they are waited for and
// decompressed whole, within Config.ReadLimit, which counts for all.
//
// The reader's errors are those of ReadMessage, io.EOF after the last byte; text whose bytes are not UTF-8 ends the
// connection when the first bad one comes. After a read deadline both NextReader and the reader go on where they
// stopped. Whoever calls NextReader or ReadMessage before io.EOF leaves the rest of the message: it is read and
// dropped, and the old reader is of no use any more. While nobody reads no ping is answered.
func (c *Conn) NextReader() (MessageType, io.Reader, error) {
	c.reading.Lock()
	defer c.doneReading()
	return c.nextReader(context.Background())
}

// NextReaderContext is NextReader until ctx ends, and so are the reads of the reader. The error is ctx's then; the
// connection is as it was, and the next message can be read.
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

// nextReader is NextReader; reads of the reader end with ctx. c.reading is held.
func (c *Conn) nextReader(ctx context.Context) (MessageType, io.Reader, error) {
	if c.onMessage != nil {
		return 0, nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return 0, nil, err
	}
	r := &messageReader{c: c, ctx: ctx}
	if !c.in.whole && !c.in.begun() {
		_, ended, err := c.stream(nil)
		if err != nil {
			return 0, nil, err
		}
		if ended {
			r.err = io.EOF // an empty message
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

// messageReader reads the payload of a message.
type messageReader struct {
	c   *Conn
	ctx context.Context
	at  int   // how much of what was gathered before has been read
	err error // what every read says from now on
}

// Read implements io.Reader.
func (r *messageReader) Read(p []byte) (n int, err error) {
	if r.ctx.Done() == nil {
		r.c.reading.Lock()
		defer r.c.doneReading()
		return r.read(p)
	}
	err = r.c.readUntil(r.ctx, func() (err error) {
		n, err = r.read(p)
		return err
	})
	return n, err
}

// read is Read; c.reading is held.
func (r *messageReader) read(p []byte) (int, error) {
	c := r.c
	if r.err != nil || len(p) == 0 {
		return 0, r.err
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

// errAfter returns what Read says beside n bytes: an error comes after the last of them.
func (r *messageReader) errAfter(n int) error {
	if n > 0 {
		return nil
	}
	return r.err
}

// gathered reads from what had been gathered before there was a reader: a whole message, or the beginning of one.
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
