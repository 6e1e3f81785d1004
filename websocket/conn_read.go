package websocket

import (
	"context"
	"iter"
)

// ReadMessage waits for the next message and returns it. p belongs to the caller. Pings and close frames that arrive in
// between are answered.
//
// The error is a *CloseError if the peer has closed or the connection broke, which is CloseAbnormal, ErrClosed after Close, and os.ErrDeadlineExceeded if the read deadline has passed. If the peer broke a rule, it is a *ProtocolError or
// ErrTooBig. After any error but that of the read deadline the connection is over. An expired write deadline that broke the connection
// also shows as os.ErrDeadlineExceeded; Err, which returns nil after a mere read deadline, tells the two apart.
func (c *Conn) ReadMessage() (t MessageType, p []byte, err error) {
	return c.recv.readCopy(makeSlice)
}

// ReadPooled is like ReadMessage, but takes p from pool, and so does not allocate once the pool is warm. p belongs to
// the caller, who may put it back into pool or keep it.
func (c *Conn) ReadPooled(pool *BufferPool) (t MessageType, p []byte, err error) {
	return c.recv.readCopy(pool.Get)
}

// ReadMessageInto is like ReadMessage, but reads into buf and does not allocate. If the message does not fit, n is its
// length and the error is io.ErrShortBuffer; the next read returns the same message.
func (c *Conn) ReadMessageInto(buf []byte) (t MessageType, n int, err error) {
	c.recv.mu.Lock()
	view, err := c.recv.readLocked(buf)
	if err == nil {
		t, n, err = c.recv.deliverLocked(buf, view)
	}
	c.recv.unlock()
	return t, n, err
}

// ReadMessageContext is like ReadMessage, but returns ctx's error when ctx is done. Nothing is lost then, not even part of a
// message: the next read continues. ctx also bounds the wait for another goroutine that is reading, which is not
// disturbed. The read deadline applies as well.
func (c *Conn) ReadMessageContext(ctx context.Context) (t MessageType, p []byte, err error) {
	if ctx.Done() == nil {
		return c.ReadMessage()
	}
	err = c.recv.readUntil(ctx, func() (err error) {
		t, p, err = c.recv.readCopyLocked(makeSlice)
		return err
	})
	return t, p, err
}

// Messages returns an iterator over the messages to come. Their Data belongs to the caller. An error ends it, and comes
// once, with a zero Message. If the peer closes with CloseNormal, CloseGoingAway or no code, as a browser's close() does,
// the iterator ends without an error.
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

// makeSlice returns a new slice.
func makeSlice(n int) []byte { return make([]byte, n) }
