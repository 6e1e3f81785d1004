package clientconn

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// exchange is a request and its response on a connection. It implements carrier.ClientStream.
//
//	begin: HEADERS ─► Send: DATA…, SendTrailer ─┐
//	Await: heads ─► Read: content, trailer ─────┴► Leave: the last one takes the stream off
type exchange struct {
	k           *Conn
	str         quicconn.Stream
	method      string
	tunnel      bool
	reused      bool // the connection had a request before
	early       bool // the request was sent before the handshake was complete
	headsBefore int  // heads on the connection when this request began

	progress progress

	// The reading goroutine owns these.
	in         response
	trailer    []http2.Field
	bare       bool // the response has no content
	endAwaited bool // another goroutine reads: it waits for the end of a response without content
	idle       idleTimer

	// The sending goroutine owns these.
	out   []byte // a frame that is being sent
	quick int    // bytes that were given to QUIC without waiting; at least atOnce: no more are
}

// Begin begins a request that was reserved, and sends its head. reused is what Reserve has returned. If Begin fails, Leave must be called.
func (k *Conn) Begin(ctx context.Context, r *carrier.ClientRequest, reused bool) (carrier.ClientStream, error) {
	var f section.Encoder
	head := f.Append(nil, r.Head)
	if err := k.checkSize("request fields", f.Size); err != nil {
		return nil, err
	}
	early := r.Early && !k.qc.IsHandshaken()
	if !early {
		if err := k.awaitHandshake(ctx, r); err != nil {
			return nil, err
		}
	}
	str, err := k.openStream(ctx, r)
	if err != nil {
		return nil, err
	}
	x := &exchange{k: k, str: str, method: r.Method, tunnel: r.Tunnel, reused: reused, early: early}
	x.in.begin(str, k.cfg)
	x.progress.users = 1
	if r.Sends {
		x.progress.users = 2
	}
	if r.Expect {
		x.progress.proceed.Begin()
	}
	if !k.add(x) { // from here on GOAWAY and the end of the connection reach it
		x.end(h3frame.RequestCancelled)
		return nil, &unprocessedError{errGoAway}
	}
	if err := x.sendHead(ctx, head); err == nil && !r.Sends {
		x.endSending() // if sending has failed, reading the response fails as well
	}
	return x, nil
}

// NetConn implements carrier.ClientStream.
func (x *exchange) NetConn() net.Conn { return quicconn.NetConn(x.k.qc.Conn, &x.k.tls) }

// TLS implements carrier.ClientStream.
func (x *exchange) TLS() *tls.ConnectionState { return x.k.tlsState() }

// Reused implements carrier.ClientStream.
func (x *exchange) Reused() bool { return x.reused }

// Early implements carrier.ClientStream.
func (x *exchange) Early() bool { return x.early }

// Expire implements carrier.ClientStream.
func (x *exchange) Expire(d time.Duration) { x.progress.expire(d, x.tooSlow) }

// SetReadTimeout implements carrier.ClientStream.
func (x *exchange) SetReadTimeout(d time.Duration) { x.idle.limit = d }

// tooSlow ends an exchange whose server is too slow.
func (x *exchange) tooSlow() { x.abort(h3frame.RequestCancelled, errSlow) }

// end ends both halves of the stream with a code.
func (x *exchange) end(code h3frame.Code) {
	x.str.Reset(code)
	x.str.Stop(code)
}

// abort ends both halves of the stream with a code (RFC 9114 §4.1.1). Reading and sending fail with why. It does nothing if the response
// was read to its end.
func (x *exchange) abort(code h3frame.Code, why error) {
	if x.progress.abort(why) {
		x.end(code)
	}
}

// leftOut is called when the server's GOAWAY says that the request is not processed. A response that has begun goes on.
func (x *exchange) leftOut() {
	if !x.progress.hasHead() {
		x.abort(h3frame.RequestCancelled, &unprocessedError{errGoAway})
	}
}

// refuse ends the stream, or the connection, because the server has broken a rule. It returns the error of the request.
func (x *exchange) refuse(e *h3frame.Error) error {
	if e.Scope == h3frame.Connection {
		x.k.Fail(e)
	}
	x.abort(e.Code, e)
	return e
}

// failed translates err, with which a read has failed.
func (x *exchange) failed(err error) error {
	if why := x.progress.reason(); why != nil {
		return why
	}
	if quicconn.RejectedEarly(err) {
		return x.k.rejected(err)
	}
	code, reset := quicconn.ResetBy(err)
	if !reset {
		return x.k.noteEnd(err)
	}
	if err = x.k.cfg.ResetBy(code); code == h3frame.RequestRejected {
		err = &unprocessedError{err}
	}
	return err
}

// charge charges the server for work without progress.
func (x *exchange) charge(units int32) { x.k.Charge(units) }

// ended records the error with which reading has ended: io.EOF, or the reason why it has failed.
func (x *exchange) ended(err error) {
	if err == io.EOF {
		x.progress.noteWhole()
		x.k.budget.Earn(cost.Message)
	}
}

// Leave implements carrier.ClientStream. The last one ends what has not ended.
func (x *exchange) Leave() {
	last, sending, receiving := x.progress.leave()
	if !last {
		return
	}
	x.idle.stop()
	if receiving {
		x.str.Stop(h3frame.RequestCancelled)
	}
	if sending {
		x.str.Reset(h3frame.RequestCancelled)
	}
	bufpool.Put(x.out)
	x.out = nil
	x.k.leave(x)
}

// Cancel implements carrier.ClientStream.
func (x *exchange) Cancel(err error) {
	if x.progress.isUsed() {
		x.abort(h3frame.RequestCancelled, err)
	}
}

// Unanswered implements carrier.ClientStream.
func (x *exchange) Unanswered(err error) bool {
	_, broken := errors.AsType[*h3frame.Error](err) // it may belong to the response before
	return (broken || errors.Is(err, io.ErrUnexpectedEOF)) && x.k.unanswered(x)
}
