package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
)

// Response is a response whose head has arrived. What its methods return is valid until Close. One goroutine at a time may
// read; any goroutine may call Close. After Close it can be passed to Client.Do again.
//
//	open ◄──► reading ──► over (the end, or a failure)
//	  │          │
//	  ▼          ▼
//	closed   closing: the reader cleans up
type Response struct {
	message
	TLS *tls.ConnectionState

	hasLeft  bool                  // ex has been left: the connection is not needed any more
	canceled atomic.Pointer[error] // the error that was passed to Cancel

	// ex and turn are set before state becomes open, and do not change before it is closed. Do does not set them for another
	// attempt if Cancel may have seen those of the one before.
	ex     exchange
	turn   turn // the use of ex that is ours; after it ex belongs to another request
	upload *upload
	guard  guard // of the context
	state  atomic.Int32
	err    error // what Read returns in state over
}

const (
	closed int32 = iota // also the initial state
	open
	reading
	closing
	over
)

var (
	// ErrBodyClosed is returned by Read after Close.
	ErrBodyClosed = errors.New("http: read on closed response body")
	// ErrTwoReaders is returned by Read while another goroutine reads.
	ErrTwoReaders = errors.New("http: concurrent reads of a response body")
)

// DropHead releases the head, which must not be used any more. The memory of the body is released as soon as the body has
// been read or closed, so Release need not be called.
func (r *Response) DropHead() {
	r.head.Header.Reset()
	r.head = nil
	if len(r.body) == 0 {
		r.freeText()
	}
}

// reset prepares r for another response, whose head is stored in head.
func (r *Response) reset(head *http1.Response) {
	r.message.reset(head)
	r.hasLeft, r.upload, r.guard, r.err, r.TLS = true, nil, guard{}, nil, nil
}

// Buffered returns the unread body. whole reports whether all of it has arrived. Buffered does not consume the body.
func (r *Response) Buffered() (body []byte, whole bool) { return r.body, r.hasLeft }

// Release releases the memory of r, which has been closed. What r has returned is no longer valid.
func (r *Response) Release() {
	if r.head != nil {
		r.DropHead()
	}
	r.body = nil
	r.freeText()
}

// start is called when the final head has arrived. It takes the body if that has arrived as well, and otherwise lets ctx
// end the exchange.
func (r *Response) start(ctx context.Context, k *Call) {
	r.tunneled = r.Status == 101 || k.Tunnel && r.Status < 300
	if r.ex.whole(&r.message) {
		r.leave()
		return
	}
	if k.Timeouts != nil {
		r.ex.boundRead(k.Timeouts.Idle)
	}
	r.watch(ctx)
}

// leave leaves the exchange. Nothing is read from it any more.
func (r *Response) leave() {
	r.guard.end()
	if r.hasLeft {
		return
	}
	r.hasLeft = true
	if r.upload != nil {
		r.upload.responseOver()
	}
	r.ex.leave()
}

// Read implements io.Reader. It returns io.EOF at the end of the body, io.ErrUnexpectedEOF or a *http1.Error if the body
// is incomplete or malformed, or the error that the exchange was cancelled with. Further calls return the same error.
func (r *Response) Read(p []byte) (int, error) {
	if !r.state.CompareAndSwap(open, reading) {
		switch r.state.Load() {
		case over:
			return 0, r.err
		case reading:
			return 0, ErrTwoReaders
		}
		return 0, ErrBodyClosed
	}
	n, err := r.read(p)
	if err != nil {
		r.err = err
		r.leave()
		if !r.state.CompareAndSwap(reading, over) {
			r.state.Store(closed)
		}
		return n, err
	}
	if !r.state.CompareAndSwap(reading, open) {
		r.leave()
		r.state.Store(closed)
	}
	return n, nil
}

func (r *Response) read(p []byte) (int, error) {
	if !r.hasLeft {
		n, err := r.ex.read(p)
		if err == io.EOF {
			r.keepTrailer(r.ex.trailer())
		}
		return n, err
	}
	n := copy(p, r.body)
	if r.body = r.body[n:]; len(r.body) > 0 {
		return n, nil
	}
	if r.head == nil {
		r.freeText()
	}
	return n, io.EOF
}

// Close drops the rest of the body. If little of it is left it is read, so that the connection can be reused; otherwise
// the connection, or the stream, is closed. Any goroutine may call Close, also while another one reads.
func (r *Response) Close() error {
	for {
		switch s := r.state.Load(); s {
		case open:
			if r.state.CompareAndSwap(s, closed) {
				if !r.hasLeft {
					r.ex.discard()
				}
				r.leave()
				if r.head == nil {
					r.body = nil
					r.freeText()
				}
				return nil
			}
		case reading:
			if r.state.CompareAndSwap(s, closing) {
				r.ex.cancel(r.turn, ErrBodyClosed)
				return nil
			}
		default:
			return nil
		}
	}
}

// Cancel makes the request fail with err if its response has not been read to the end: Do fails, if it has not returned,
// and otherwise Read. Any goroutine may call it, but not when r may already be used for another request. It does not end a
// wait for a connection; see Call.WaitContext.
func (r *Response) Cancel(err error) {
	r.canceled.CompareAndSwap(nil, &err)
	if s := r.state.Load(); s != closed && s != over {
		r.passCancel()
	}
}

// passCancel cancels the exchange if Cancel has been called.
func (r *Response) passCancel() {
	if err := r.canceled.Load(); err != nil {
		r.ex.cancel(r.turn, *err)
	}
}

// AwaitSent waits, after Close, until the request's body is not used any more. It does not wait for long, since a Read of
// the body may not return.
func (r *Response) AwaitSent() {
	if r.upload != nil { // responseOver stops it soon
		r.upload.await(maxSendAfterResponse + maxAwaitStopped)
	}
}

// watch cancels the exchange when ctx ends. It is called before the first wait.
func (r *Response) watch(ctx context.Context) { r.guard.begin(ctx, Use{r.ex, r.turn}) }

// attach makes ex the exchange that r is read from.
func (r *Response) attach(ex exchange) {
	r.ex, r.turn, r.hasLeft = ex, ex.turn(), false
	r.state.Store(open)
	r.passCancel() // it was called before, and has not seen ex
}

// Tunnel returns the connection, or the stream, as a stream of bytes after a response that has opened a tunnel or switched
// protocols (RFC 9110 §7.8, §9.3.6). The caller owns it. The response has no body then.
func (r *Response) Tunnel() (io.ReadWriteCloser, error) {
	if r.hasLeft {
		return nil, errNoTunnel
	}
	r.guard.end()
	r.hasLeft = true
	r.state.Store(closed)
	return r.ex.tunnel()
}

var errNoTunnel = errors.New("http: the response has opened no tunnel")
