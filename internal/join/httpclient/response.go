package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"sync/atomic"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Response is a response whose head has arrived. What its methods return is valid until Close. One goroutine at a time may
// read; any goroutine may call Close. After Close it can be passed to Client.Do again.
//
//	open ◄──► reading ──► over (the end, or a failure)
//	  │          │
//	  ▼          ▼
//	closed   closing: the reader cleans up
type Response struct {
	Major, Minor int // version of HTTP
	Status       int
	Length       int64 // length of the body; -1 if it is not known
	TLS          *tls.ConnectionState

	head     *http1.Response   // the Call's; nil after DropHead
	text     []byte            // from bufpool: the text of the head's fields, and behind it the body if that had arrived whole
	body     []byte            // the unread part of that body
	trailer  *shockwave.Header // nil until needed
	hasLeft  bool              // ex has been left: the connection is not needed any more
	headOnly bool              // the response has no body
	tunneled bool              // another protocol or the bytes of a tunnel follow, and no body

	canceled atomic.Pointer[error] // the error that was passed to Cancel

	// ex and turn are set before state becomes open, and do not change before it is closed. Do does not set them for another
	// attempt if Cancel may have seen those of the one before.
	ex      exchange
	turn    turn // the use of ex that is ours; after it ex belongs to another request
	upload  *upload
	watcher watcher // of the context
	state   atomic.Int32
	err     error // what Read returns in state over
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
	ErrTwoReaders = errors.New("http: two goroutines read a response's body")
)

// Head returns the head, which is part of the Call. It is valid until Release or DropHead. Fields that the response's
// version of HTTP does not have are zero.
func (r *Response) Head() *http1.Response { return r.head }

// Header returns the fields of the head.
func (r *Response) Header() *shockwave.Header { return &r.head.Header }

// DropHead releases the head, which must not be used any more. The memory of the body is released as soon as the body has
// been read or closed, so Release need not be called.
func (r *Response) DropHead() {
	r.head.Header.Reset()
	r.head = nil
	if len(r.body) == 0 {
		r.freeText()
	}
}

func (r *Response) freeText() {
	bufpool.Put(r.text)
	r.text = nil
}

// Trailer returns the trailer section. It is complete when Read has returned io.EOF.
func (r *Response) Trailer() *shockwave.Header {
	if r.trailer == nil {
		r.trailer = new(shockwave.Header)
	}
	return r.trailer
}

// HasTrailer reports whether a trailer section with fields has arrived.
func (r *Response) HasTrailer() bool { return r.trailer != nil && r.trailer.Len() > 0 }

// Bodyless reports whether the response has no body.
func (r *Response) Bodyless() bool { return r.headOnly }

// Buffered returns the unread body. whole reports whether all of it has arrived. Buffered does not consume the body.
func (r *Response) Buffered() (body []byte, whole bool) { return r.body, r.hasLeft }

// reset prepares r for another response, whose head is stored in head.
func (r *Response) reset(head *http1.Response) {
	r.head = head
	r.head.Reset()
	if r.trailer != nil {
		r.trailer.Reset()
	}
	r.text = r.text[:0]
	r.body, r.headOnly, r.tunneled, r.hasLeft, r.upload, r.watcher, r.err, r.TLS = nil, false, false, true, nil, nil, nil, nil
}

// Release releases the memory of r, which has been closed. What r has returned is no longer valid.
func (r *Response) Release() {
	if r.head != nil {
		r.DropHead()
	}
	r.body = nil
	r.freeText()
}

// fill copies fields into r's head.
func (r *Response) fill(major, status int, fields []http2.Field) {
	r.Major, r.Minor, r.Status = major, 0, status
	r.text = fill(&r.head.Header, r.text[:0], fields)
}

// takeBody makes p, which is from bufpool, the whole body. It follows the head in the same buffer.
func (r *Response) takeBody(p []byte) {
	n := len(r.text)
	r.text = append(bufpool.Grow(r.text, n+len(p))[:n], p...)
	bufpool.Put(p)
	r.head.Header.Rebase(r.text[:n])
	r.body = r.text[n:]
}

// fill copies fields into h, with their text in b, which is grown if necessary. It returns b.
func fill(h *shockwave.Header, b []byte, fields []http2.Field) []byte {
	size := 0
	for i := range fields {
		size += len(fields[i].Name) + len(fields[i].Value)
	}
	b = bufpool.Grow(b, size)[:0]
	h.Reset()
	for i := range fields {
		f := &fields[i]
		start, mid := len(b), len(b)+len(f.Name)
		b = append(append(b, f.Name...), f.Value...)
		h.Append(shockwave.Line{
			Name:  shockwave.Span{Start: uint32(start), End: uint32(mid)},
			Value: shockwave.Span{Start: uint32(mid), End: uint32(len(b))},
		})
	}
	h.Rebase(b)
	return b
}

// start is called when the final head has arrived. It takes the body if that has arrived as well, and otherwise lets ctx
// end the exchange.
func (r *Response) start(ctx context.Context, k *Call) {
	r.tunneled = r.Status == 101 || k.Tunnel && r.Status < 300
	if r.ex.whole(r) {
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
	r.unwatch()
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

// keepTrailer copies a trailer section into r.
func (r *Response) keepTrailer(h *shockwave.Header) {
	for i := range h.Len() {
		r.Trailer().AddBytes(h.At(i))
	}
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
	r.unwatch()
	r.hasLeft = true
	r.state.Store(closed)
	return r.ex.tunnel()
}

var errNoTunnel = errors.New("http: the response has opened no tunnel")
