package websocket

import (
	"context"
	"io"
	"iter"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// ReadMessage waits for the next message and returns it. p belongs to the caller. Pings and close frames that arrive in
// between are answered.
//
// The error is a *CloseError if the peer has closed or the connection broke, which is CloseAbnormal, net.ErrClosed after
// Close, and os.ErrDeadlineExceeded if the read deadline has passed. If the peer broke a rule, it is a *ProtocolError or
// ErrTooBig. After
// any error but that of the read deadline the connection is over. An expired write deadline that broke the connection
// also shows as os.ErrDeadlineExceeded; Err, which returns nil after a mere read deadline, tells the two apart.
func (c *Conn) ReadMessage() (t MessageType, p []byte, err error) {
	return c.readCopy(func(n int) []byte { return make([]byte, n) })
}

// ReadPooled is like ReadMessage, but takes p from pool, and so does not allocate once the pool is warm. p belongs to
// the caller, who may put it back into pool or keep it.
func (c *Conn) ReadPooled(pool *BufferPool) (t MessageType, p []byte, err error) {
	return c.readCopy(pool.Get)
}

func (c *Conn) readCopy(space func(n int) []byte) (t MessageType, p []byte, err error) {
	c.reading.Lock()
	defer c.unlockReading()
	return c.readCopyLocked(space)
}

// readCopyLocked reads a message into a slice returned by space. c.reading must be held.
func (c *Conn) readCopyLocked(space func(n int) []byte) (t MessageType, p []byte, err error) {
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

// ReadMessageInto is like ReadMessage, but reads into buf and does not allocate. If the message does not fit, n is its
// length and the error is io.ErrShortBuffer; the next read returns the same message.
func (c *Conn) ReadMessageInto(buf []byte) (t MessageType, n int, err error) {
	c.reading.Lock()
	view, err := c.read(buf)
	if err == nil {
		t, n = c.in.messageType(), len(view)
		if n > len(buf) {
			c.in.keep(view)
			err = io.ErrShortBuffer
		} else if n > 0 && &view[0] != &buf[0] {
			copy(buf, view)
		}
		c.in.release() // unless it is kept
	}
	c.unlockReading()
	return t, n, err
}

// ReadContext is like ReadMessage, but returns ctx's error when ctx is done. Nothing is lost then, not even part of a
// message: the next read continues. ctx also bounds the wait for another goroutine that is reading, which is not
// disturbed. The read deadline applies as well.
func (c *Conn) ReadContext(ctx context.Context) (t MessageType, p []byte, err error) {
	if ctx.Done() == nil {
		return c.ReadMessage()
	}
	err = c.readUntil(ctx, func() (err error) {
		t, p, err = c.readCopyLocked(func(n int) []byte { return make([]byte, n) })
		return err
	})
	return t, p, err
}

// readUntil calls read once no other goroutine is reading, and interrupts it when ctx is done.
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
	defer c.unlockReading()
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

// Messages returns an iterator over the messages to come. Their Data belongs to the caller. The iterator yields the
// first error and ends. It ends without an error if the peer closed with CloseNormal, CloseGoingAway or no code, as a
// browser's close() does.
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
