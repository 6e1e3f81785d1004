package websocket

import (
	"context"
	"io"
	"iter"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// ReadMessage waits for a message and returns it; p is the caller's. Pings are answered, and close frames, meanwhile.
// The error is a *CloseError when the peer has closed, net.ErrClosed after Close, os.ErrDeadlineExceeded after the read
// deadline, and a *ProtocolError, ErrTooBig or what the connection says when it has been broken off. After any but the
// read deadline's the connection is over, and Err tells why. One that a write deadline has ended tells
// os.ErrDeadlineExceeded, too: Err tells the two apart.
func (c *Conn) ReadMessage() (t MessageType, p []byte, err error) {
	return c.readCopy(func(n int) []byte { return make([]byte, n) })
}

// ReadPooled is ReadMessage into a slice from pool, which allocates nothing once the pool is warm. p is the caller's,
// who puts it back into pool, or keeps it.
func (c *Conn) ReadPooled(pool *BufferPool) (t MessageType, p []byte, err error) {
	return c.readCopy(pool.Get)
}

func (c *Conn) readCopy(space func(n int) []byte) (t MessageType, p []byte, err error) {
	c.reading.Lock()
	defer c.doneReading()
	return c.copied(space)
}

// copied reads a message into a slice from space. c.reading is held.
func (c *Conn) copied(space func(n int) []byte) (t MessageType, p []byte, err error) {
	view, err := c.read(nil)
	if err != nil {
		return 0, nil, err
	}
	p = space(len(view))
	copy(p, view)
	t = c.in.messageType()
	c.in.release()
	return t, p, nil
}

// ReadMessageInto is ReadMessage into buf; it allocates nothing. If the message does not fit, n is how long it is and
// the error is io.ErrShortBuffer: the next read, into a larger buffer perhaps, returns the same message.
func (c *Conn) ReadMessageInto(buf []byte) (t MessageType, n int, err error) {
	c.reading.Lock()
	defer c.doneReading()
	view, err := c.read(buf)
	if err != nil {
		return 0, 0, err
	}
	t = c.in.messageType()
	if len(view) > len(buf) {
		c.in.keep(view)
		return t, len(view), io.ErrShortBuffer
	}
	if len(view) > 0 && &view[0] != &buf[0] {
		copy(buf, view)
	}
	c.in.release()
	return t, len(view), nil
}

// ReadContext is ReadMessage until ctx ends, which loses nothing, whatever part of a message has come: the error is
// ctx's then, and the next read goes on. So it does while another goroutine reads, which is not disturbed. A read deadline
// counts, too.
func (c *Conn) ReadContext(ctx context.Context) (t MessageType, p []byte, err error) {
	if ctx.Done() == nil {
		return c.ReadMessage()
	}
	err = c.readUntil(ctx, func() (err error) {
		t, p, err = c.copied(func(n int) []byte { return make([]byte, n) })
		return err
	})
	return t, p, err
}

// readUntil calls read, which reads, when it is its turn, and has it fail when ctx ends.
func (c *Conn) readUntil(ctx context.Context, read func() error) error {
	switch {
	case c.onMessage != nil:
		return errCallbacks
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err := c.reading.LockContext(ctx); err != nil {
		return err
	}
	defer c.doneReading()
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.pull.Interrupt(true)
		close(interrupted)
	})
	err := read()
	if !stop() {
		<-interrupted
		c.pull.Interrupt(false)
		if err == netconn.ErrInterrupted {
			err = ctx.Err()
		}
	}
	return err
}

// Messages returns an iterator over the messages to come; their Data is the caller's. It ends after the first error,
// which it yields, and without one when the peer closed with CloseNormal, CloseGoingAway or no code, as a browser's
// close() does.
func (c *Conn) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for {
			t, p, err := c.ReadMessage()
			if IsCloseError(err, CloseNormal, CloseGoingAway, CloseNoStatus) {
				return
			}
			if !yield(Message{t, p}, err) || err != nil {
				return
			}
		}
	}
}
