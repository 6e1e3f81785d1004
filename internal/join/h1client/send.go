package h1client

import (
	"context"
	"errors"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// The methods of this file are for the sending goroutine, if Begin was called with sends. StopSending may be called by
// any.

const (
	partSize  = 32 << 10                             // how much is passed to the connection at once
	chunkRoom = len("8000\r\n\r\n") + len(lastChunk) // the framing of a part
)

// errSent is returned by SendPart after the end of the request.
var errSent = errors.New("h1client: the request has been sent")

// SendPart sends p: as one or more chunks if the request is chunked, otherwise as it is. end says that the request ends
// with p. SendPart returns when the connection has accepted p, which may be before p has been sent; it does not refer to p
// afterwards. It fails with the error of StopSending or Cancel, also when it is waiting, or with an error of the
// connection. The reading goroutine is not affected by that: the response may still arrive.
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

// sendChunk sends part as one chunk (RFC 9112 §7.1), and the last chunk if last is true.
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

// SendTrailers ends a chunked request with a trailer section. Fields that are forbidden there or malformed are left out;
// see http1.AppendLastChunk. h may be nil; it is not referred to afterwards. A request that is not chunked is ended
// without a trailer section.
func (c *Conn) SendTrailers(h *shockwave.Header) error {
	if !c.chunked {
		return c.send(nil, true)
	}
	b := http1.AppendLastChunk(bufpool.Get(0), h)
	defer bufpool.Put(b)
	return c.send(b, true)
}

// send sends b without framing. It waits for room if necessary.
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
			err = c.sendBlocking(b)
		}
		if err != nil {
			return c.sendErr(err)
		}
	}
	c.mu.Lock()
	c.sentAll = c.sentAll || last
	c.mu.Unlock()
	return nil
}

// sendBlocking sends b when there was no room for it. It waits until there is.
func (c *Conn) sendBlocking(b []byte) error {
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

// stopped returns why nothing more may be sent, nil if it may. The caller must hold mu.
func (c *Conn) stopped() error {
	switch err := c.cancelErr(); {
	case err != nil:
		return err
	case c.stopErr != nil:
		return c.stopErr
	case c.sentAll:
		return errSent
	}
	return nil
}

// sendErr returns the error to report when sending has failed with err.
func (c *Conn) sendErr(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why := c.stopped(); why != nil {
		return why
	}
	return err
}

// StopSending makes sending in the given exchange, by its number, fail with err, also when it is waiting. It does nothing if
// that exchange is over. If the request has not been sent whole this is the last exchange of the connection; its response
// can still be read. Any goroutine may call it.
func (c *Conn) StopSending(exchange int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.underWay(exchange) {
		return
	}
	if c.stopErr == nil {
		c.stopErr = err
	}
	c.unblockSender()
}

// unblockSender ends the waits of the sending goroutine. The caller must hold mu.
func (c *Conn) unblockSender() {
	c.endProceed()
	if c.unblock != nil {
		c.unblock()
	}
}
