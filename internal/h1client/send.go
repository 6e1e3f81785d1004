package h1client

import (
	"context"
	"errors"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// The methods of this file are for the goroutine that sends, if Begin was told of one; StopSending is for any.

const (
	partSize  = 32 << 10                             // what is given to the connection at a time
	chunkRoom = len("8000\r\n\r\n") + len(lastChunk) // for the framing of a part
)

// errSent is SendPart's when the request has been ended before.
var errSent = errors.New("h1client: the request has been sent")

// SendPart sends p, as a chunk or several if Begin was told of chunks, else as it is; end: it is the request's last. It
// returns when the connection has taken p, which leaves when the server reads, and p is not referenced afterwards. It
// fails with StopSending's or Cancel's error, also while it waits, or with what writing fails with. The reader is not
// disturbed by that: the response may come all the same.
func (c *Conn) SendPart(p []byte, end bool) error {
	for {
		part := p[:min(len(p), partSize)]
		p = p[len(part):]
		last := end && len(p) == 0
		var err error
		if c.chunked {
			err = c.sendChunk(part, last)
		} else {
			err = c.send(part, last)
		}
		if err != nil || len(p) == 0 {
			return err
		}
	}
}

// sendChunk sends a part with its framing (RFC 9112 §7.1), in one piece.
func (c *Conn) sendChunk(part []byte, last bool) error {
	b := bufpool.Get(len(part) + chunkRoom)[:0]
	defer bufpool.Put(b)
	if len(part) > 0 {
		b = http1.AppendChunkSize(b, len(part))
		b = append(append(b, part...), '\r', '\n')
	}
	if last {
		b = append(b, lastChunk...)
	}
	return c.send(b, last)
}

// SendTrailers ends a chunked request with a trailer section. Fields that may not be there, or cannot be written, are left
// out: see http1.AppendLastChunk. h may be nil, and is not referenced afterwards. A request that is not chunked has no
// trailer section: it is ended without one.
func (c *Conn) SendTrailers(h *shockwave.Header) error {
	if !c.chunked {
		return c.send(nil, true)
	}
	b := http1.AppendLastChunk(bufpool.Get(0), h)
	defer bufpool.Put(b)
	return c.send(b, true)
}

// send sends b as it is, and waits until there is room for it.
func (c *Conn) send(b []byte, last bool) error {
	c.mu.Lock()
	err := c.stopped()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if len(b) > 0 {
		ok, err := c.p.Post(netconn.Whole, b)
		if !ok && err == nil {
			err = c.sendLater(b)
		}
		if err != nil {
			return c.unsent(err)
		}
	}
	c.mu.Lock()
	c.whole = c.whole || last
	c.mu.Unlock()
	return nil
}

// sendLater is send when there is no room.
func (c *Conn) sendLater(b []byte) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.mu.Lock()
	c.unblock = cancel
	if c.stopped() != nil {
		cancel()
	}
	c.mu.Unlock()
	return c.p.PostContext(ctx, netconn.Whole, b)
}

// stopped returns why no more is sent, nil if it may be. c.mu is held.
func (c *Conn) stopped() error {
	switch {
	case c.failure != nil:
		return c.failure
	case c.hushed != nil:
		return c.hushed
	case c.whole:
		return errSent
	}
	return nil
}

// unsent returns err, with which sending has failed, as it is told to the sender.
func (c *Conn) unsent(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why := c.stopped(); why != nil {
		return why
	}
	return err
}

// StopSending ends sending with err, also where it waits. A request that has not been sent whole makes its exchange the
// connection's last; its response can be read. Any goroutine that uses the exchange may call it.
func (c *Conn) StopSending(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hushed == nil {
		c.hushed = err
	}
	c.release()
}

// release ends the sender's waits. c.mu is held.
func (c *Conn) release() {
	c.goOn()
	if c.unblock != nil {
		c.unblock()
	}
}
