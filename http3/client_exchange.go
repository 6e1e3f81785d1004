package http3

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/expect"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// clientExchange is a request and its response on a connection. It implements carrier.ClientStream.
//
//	begin: HEADERS ─► Send: DATA…, SendTrailer ─┐
//	Await: heads ─► Read: content, trailer ─────┴► Leave: the last one takes the stream off
type clientExchange struct {
	k           *clientConn
	str         quicStream
	method      string
	tunnel      bool
	reused      bool // the connection had a request before
	early       bool // the request was sent before the handshake was complete
	headsBefore int  // heads on the connection when this request began

	// The reading goroutine owns these.
	in      responseReader
	decoder qpack.Decoder
	bare    bool // the response has no content
	trailer []http2.Field
	idle    time.Duration // for each wait of Read; 0 is for ever

	endAwaited bool // another goroutine reads: it waits for the end of a response without content

	// The sending goroutine owns these.
	out   []byte // a frame that is being sent
	quick int    // bytes that were given to QUIC without waiting, as writer.quick

	mu         sync.Mutex
	why        error // why we have ended the exchange
	over       bool  // the response was read to its end
	final      bool  // the final head has come
	bodyWanted bool  // 100 Continue has come
	sent       bool  // the request was sent whole
	stopped    error // what sending fails with
	users      int   // goroutines that have not left
	proceed    expect.Wait
	headTimer  *time.Timer
	idleTimer  idleTimer
}

// begin begins a request on a connection that it is reserved on, and sends its head.
func (k *clientConn) begin(ctx context.Context, r *carrier.ClientRequest) (*clientExchange, error) {
	var f sectionFields
	head := appendSection(nil, &f, r.Head)
	if err := k.checkSize("request fields", f.size); err != nil {
		return nil, err
	}
	early := r.Early && !k.hasShaken()
	if !early {
		if err := k.awaitHandshake(ctx, r); err != nil {
			return nil, err
		}
	}
	str, err := k.openStream(ctx, r)
	if err != nil {
		return nil, err
	}
	x := &clientExchange{k: k, str: str, method: r.Method, tunnel: r.Tunnel, early: early, users: 1}
	if err := k.add(x); err != nil {
		x.drop()
		return nil, err
	}
	limit := k.cl.headBytes
	x.in.msg.Reset(limit)
	x.decoder.MaxListBytes, x.decoder.MaxFields = limit, k.cl.headFields
	if r.Sends {
		x.users = 2
	}
	if r.Expect {
		x.proceed.Begin()
	}
	if err := x.sendHead(ctx, head); err == nil && !r.Sends {
		x.endSending() // if sending has failed, reading the response fails as well
	}
	return x, nil
}

// drop ends a stream that nothing was sent on.
func (x *clientExchange) drop() {
	x.str.reset(h3frame.RequestCancelled)
	x.str.stop(h3frame.RequestCancelled)
}

// sendHead sends the head. It waits while the server takes too little.
func (x *clientExchange) sendHead(ctx context.Context, head []byte) error {
	if done, err := x.str.writeAll(head); done || err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { x.abort(h3frame.RequestCancelled, context.Cause(ctx)) })()
	_, err := x.str.write(head)
	return err
}

// NetConn implements carrier.ClientStream.
func (x *clientExchange) NetConn() net.Conn { return &netConn{x.k} }

// TLS implements carrier.ClientStream.
func (x *clientExchange) TLS() *tls.ConnectionState { return x.k.tls() }

// Reused implements carrier.ClientStream.
func (x *clientExchange) Reused() bool { return x.reused }

// Early implements carrier.ClientStream.
func (x *clientExchange) Early() bool { return x.early }

// Expire implements carrier.ClientStream.
func (x *clientExchange) Expire(d time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d > 0 && !x.final && x.headTimer == nil && x.why == nil {
		x.headTimer = time.AfterFunc(d, func() { x.abort(h3frame.RequestCancelled, errSlow) })
	}
}

// noteHead notes that the head of the final response has come, or 100 Continue.
func (x *clientExchange) noteHead(final bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if final {
		x.final = true
		if x.headTimer != nil {
			x.headTimer.Stop()
		}
	} else {
		x.bodyWanted = true
	}
	x.proceed.EndLocked()
}
