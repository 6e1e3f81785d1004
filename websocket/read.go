package websocket

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// ReadMessage waits for a message and returns it; p is the caller's. Pings are answered, and close frames, meanwhile.
// The error is a *CloseError when the peer has closed, net.ErrClosed after Close, os.ErrDeadlineExceeded after the read
// deadline, and a *ProtocolError, ErrTooBig or what the connection says when it has been broken off. After any but the
// deadline's the connection is over.
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
	defer c.reading.Unlock()
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
	defer c.reading.Unlock()
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
// ctx's then, and the next read goes on.
func (c *Conn) ReadContext(ctx context.Context) (t MessageType, p []byte, err error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	kicked := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.t.SetReadDeadline(aLongTimeAgo)
		close(kicked)
	})
	t, p, err = c.ReadMessage()
	if !stop() {
		<-kicked
		c.t.SetReadDeadline(noDeadline)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = ctx.Err()
		}
	}
	return t, p, err
}

// Messages returns an iterator over the messages to come; their Data is the caller's. It ends after the first error,
// which it yields, and without one when the peer closed with CloseNormal or CloseGoingAway.
func (c *Conn) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for {
			t, p, err := c.ReadMessage()
			if code := CloseStatus(err); code == CloseNormal || code == CloseGoingAway {
				return
			}
			if !yield(Message{t, p}, err) || err != nil {
				return
			}
		}
	}
}

// read returns the next message, valid until in.release or the next read. It lies in dst if it came whole and fits.
// c.reading is held.
func (c *Conn) read(dst []byte) ([]byte, error) {
	if c.set.onMessage != nil {
		return nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return nil, err
	}
	for {
		if c.in.whole {
			c.in.whole = false
			return c.in.msg, nil
		}
		if c.over.Load() {
			return nil, c.Err()
		}
		b := c.t.Unread()
		e, p, n, err := c.in.take(b, dst)
		c.t.Take(n)
		if err == nil && e == message {
			c.batch(b[n:])
			return p, nil
		}
		if err == nil && e != nothing {
			c.batch(b[n:])
			err = c.answer(e, p)
			c.in.release()
		} else if err == nil {
			err = c.receive()
			if errors.Is(err, os.ErrDeadlineExceeded) && c.t.WriteError() == nil {
				return nil, os.ErrDeadlineExceeded // of reading; one of writing has broken the connection
			}
		}
		if err != nil {
			return nil, c.hangUp(err)
		}
	}
}

// batch keeps what will be written back as long as rest, which arrived together with the message or ping just found, has
// another frame: the answers to all of them leave together.
func (c *Conn) batch(rest []byte) {
	more := another(rest)
	if more != c.held {
		c.held = more
		c.t.Hold(more)
	}
}

// letGo ends a batch: what it has kept leaves before the wait that follows.
func (c *Conn) letGo() {
	if c.held {
		c.held = false
		c.t.Hold(false)
	}
}

// receive waits for more bytes.
func (c *Conn) receive() error {
	c.letGo()
	if room := c.in.ahead(); room != nil && len(c.t.Unread()) == 0 {
		n, err := c.t.Read(room)
		if err == nil || n > 0 {
			c.noteSign()
			c.in.whole, err = c.in.gather(room[:n])
		}
		return err
	}
	_, err := c.t.Fill()
	if err == nil {
		c.noteSign()
	}
	return err
}

// answer does what a control frame asks for. The error is what the connection ends with.
func (c *Conn) answer(e event, p []byte) error {
	switch e {
	case ping:
		return c.pong(p)
	case pong:
		c.ponged(p)
		return nil
	}
	code, reason, err := wsframe.ParseClose(p)
	if err != nil {
		return err
	}
	return &CloseError{Code: code, Reason: string(reason)}
}

// hangUp ends the connection for err, which came from reading: the peer is told why, if it can be. That it has heard
// it is not waited for. c.reading is held.
func (c *Conn) hangUp(err error) error {
	err = c.fail(c.lastWord(err))
	c.end(err)
	go c.t.Finish(farewell(err))
	return err
}

// lastWord sends the close frame that answers err, and returns what the connection's users are told.
func (c *Conn) lastWord(err error) error {
	var (
		ce *CloseError
		pe *ProtocolError
	)
	switch {
	case errors.As(err, &ce):
		// RFC 6455 §5.5.1: "it typically echos the status code it received"
		if c.postClose(ce.Code, "") == net.ErrClosed && c.closer.Load() {
			return net.ErrClosed
		}
	case errors.As(err, &pe):
		c.postClose(pe.Code, pe.Msg)
	case errors.Is(err, ErrTooBig):
		c.postClose(CloseMessageTooBig, "")
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF // RFC 6455 §7.1.5: closed abnormally
	case errors.Is(err, netconn.ErrAbort):
		return net.ErrClosed
	}
	return err
}

// farewell returns what the transport is told of the end for err.
func farewell(err error) error {
	var ce *CloseError
	if errors.As(err, &ce) {
		return netconn.ErrDone
	}
	return netconn.ErrDoneEarly
}
