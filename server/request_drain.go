package server

import (
	"io"
	"net/http"
	"time"
)

// What a handler left of a body is read and thrown away, so that the connection can be used again, within these bounds.
const (
	drainBytes = 256 << 10
	drainWait  = 500 * time.Millisecond // for the next byte: a client that waits for the answer first must not wait long
	drainTime  = 5 * time.Second        // for all of it
)

// ended tells whether the message's last byte has been read, so that the next message can follow.
func (b *requestBody) ended() bool { return !b.streamed || b.dec.Done() }

// coming tells whether the client is still sending. One that was never told to go on has most likely stopped.
func (b *requestBody) coming() bool {
	e := b.expect.Load()
	return !b.ended() && e != expected && e != notContinued
}

// settle sees to the rest of a body before the answer begins: it reads it if it is small, which is also what clients
// need that send all of their request before they read. A body that has not ended afterwards ends the connection.
func (r *Request) settle() {
	b := &r.body
	if b.ended() || b.failure() != nil || b.expect.Load() == expected {
		return
	}
	if b.length-b.read > drainBytes {
		return
	}
	r.discard()
	if b.err == nil || b.err == io.EOF {
		b.err = http.ErrBodyReadAfterClose
	}
}

// discard reads the rest of a body within the bounds.
func (r *Request) discard() {
	c, b := r.x.c, &r.body
	last := time.Now().Add(drainTime)
	for left := drainBytes; b.err == nil && left > 0 && !b.dec.Done(); {
		_, took, err := b.dec.Next(c.Unread())
		c.Take(took)
		left -= took
		b.err = err
		if err != nil || took > 0 {
			continue
		}
		wait := time.Now().Add(drainWait)
		if wait.After(last) {
			wait = last
		}
		c.SetReadDeadline(wait)
		if _, err := c.Fill(); err != nil {
			b.err = cut(err)
		}
	}
	c.SetReadDeadline(time.Time{})
}
