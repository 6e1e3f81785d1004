package http3

import (
	"context"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/h3frame"
	"github.com/shockwave-go/shockwave/internal/qpack"
)

// clientExchange is a request and its response on a connection. One goroutine at a time reads, and one sends the body:
//
//	begin ─► HEADERS ─► upload: DATA…, trailer ─┐
//	readHead ─► read: content, trailer ─────────┴► leave: the last one takes the stream off
type clientExchange struct {
	c           *clientCall
	k           *clientConn
	str         quicStream
	reused      bool // the connection had a request before
	headsBefore int  // heads on the connection when this request began
	up          *clientUpload
	quick       int // bytes that were given to QUIC without waiting, as writer.quick; the sending goroutine's

	// The reading goroutine owns these.
	in      responseReader
	decoder qpack.Decoder
	interim int // informational responses so far
	inBytes int // of them
	trailer []headField

	mu          sync.Mutex
	why         error // why we have ended the exchange
	over        bool  // the response was read to its end
	final       bool  // the final head has come
	bodyWanted  bool  // 100 Continue has come
	sent        bool  // the request was sent whole
	left        bool  // the reading goroutine has left
	users       int   // goroutines that have not left
	proceed     chan struct{}
	headerTimer *time.Timer
	unwatch     func() bool // ends the watch of the context
}

// headField is a field of a section.
type headField struct{ name, value string }

// beginExchange begins a request on a connection that it is reserved on. It sends the head.
func (c *clientCall) beginExchange(k *clientConn, reused bool) (*clientExchange, error) {
	if err := k.checkSize("request fields", c.size); err != nil {
		k.leave(nil)
		return nil, err
	}
	str, err := k.openStream(c.ctx)
	if err != nil {
		k.leave(nil)
		return nil, err
	}
	x := &clientExchange{c: c, k: k, str: str, reused: reused, users: 1}
	if err := k.add(x); err != nil {
		x.drop()
		k.leave(nil)
		return nil, err
	}
	limit := c.t.headBytes()
	x.in.msg.Reset(limit)
	x.decoder.MaxListBytes, x.decoder.MaxFields = limit, maxResponseFields
	if c.body != nil {
		x.proceed, x.users = make(chan struct{}), 2
		x.up = &clientUpload{x: x, body: c.body, done: make(chan struct{})}
	}
	x.unwatch = context.AfterFunc(c.ctx, func() { x.abort(h3frame.RequestCancelled, context.Cause(c.ctx)) })
	return x, nil
}

// drop ends a stream that nothing was sent on.
func (x *clientExchange) drop() {
	x.str.reset(h3frame.RequestCancelled)
	x.str.stop(h3frame.RequestCancelled)
}

// sendHead sends the head, and begins to send the body, if there is one.
func (x *clientExchange) sendHead() {
	err := x.write(x.c.head)
	if err == nil && x.up == nil {
		x.endSending()
	}
	if err == nil {
		x.c.traceHead()
	}
	if x.up == nil {
		x.c.traceSent(err)
		return
	}
	if err != nil {
		x.up.stop(true)
	}
	go x.up.run()
}

// write gives p to QUIC. It waits while the server takes too little.
func (x *clientExchange) write(p []byte) error {
	if x.quick += len(p); x.quick <= atOnce {
		if done, err := x.str.writeAll(p); done || err != nil {
			return err
		}
	}
	x.quick = atOnce
	_, err := x.str.write(p)
	return err
}

// endSending ends the request. From now on the head of the response is waited for.
func (x *clientExchange) endSending() {
	x.str.end()
	x.mu.Lock()
	x.sent = true
	x.mu.Unlock()
	x.boundHead()
}

// boundHead bounds the wait for the response's head.
func (x *clientExchange) boundHead() {
	d := x.c.headTimeout
	x.mu.Lock()
	defer x.mu.Unlock()
	if d > 0 && !x.final && x.headerTimer == nil && x.why == nil {
		x.headerTimer = time.AfterFunc(d, func() { x.abort(h3frame.RequestCancelled, errHeaderTimeout) })
	}
}

// noteHead notes that the head of the final response has come, or 100 Continue.
func (x *clientExchange) noteHead(final bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if final {
		x.final = true
		if x.headerTimer != nil {
			x.headerTimer.Stop()
		}
	} else {
		x.bodyWanted = true
	}
	x.endProceed()
}

// endProceed ends the wait for 100 Continue. The caller must hold the lock.
func (x *clientExchange) endProceed() {
	if x.proceed != nil {
		close(x.proceed)
		x.proceed = nil
	}
}
