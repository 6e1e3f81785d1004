package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Response is a response whose head has arrived. What its methods give out is valid until Close. One goroutine at a time
// reads; any may Close. It can be used again, by Client.Do, after Close.
//
//	open ◄──► reading ──► over (the end, or a failure)
//	  │          │
//	  ▼          ▼
//	closed   closing: the reader cleans up
type Response struct {
	Major, Minor int // of HTTP's version
	Status       int
	Reason       []byte // of HTTP/1; often empty
	Length       int64  // of the body; -1 if that is not known
	TLS          *tls.ConnectionState

	head    *http1.Response // lent; nil after TakeHead
	text    []byte          // leased: what the head's fields are parts of and, behind it, a body that was there whole
	body    []byte          // of such a body what has not been read
	trailer shockwave.Header
	alone   bool // the head is all of it
	tunnels bool // no body follows, but another protocol, or what a tunnel brings

	where    sync.Mutex // held while ex and turn change
	canceled error      // Cancel's

	ex     exchange
	turn   turn // of ex, which is ours as long as that is its turn
	left   bool // we have left it: the connection is not needed any more
	upload *upload
	stop   func() bool // takes back the watch on the context
	state  atomic.Int32
	err    error // what Read says when it is over
}

const (
	closed int32 = iota // before the first, too
	open
	reading
	closing
	over
)

var (
	// ErrBodyClosed is what Read says after Close.
	ErrBodyClosed = errors.New("http: read on closed response body")
	// ErrTwoReaders is what Read says while another goroutine is in it.
	ErrTwoReaders = errors.New("http: two goroutines read a response's body")
)

// heads are parsers of heads, with their memory.
var heads = sync.Pool{New: func() any { return new(http1.Response) }}

// Head returns the head, whose fields are meaningful as far as the version has them, until Release or DropHead.
func (r *Response) Head() *http1.Response { return r.head }

// Header returns the fields of the head.
func (r *Response) Header() *shockwave.Header { return &r.head.Header }

// DropHead says that the head has been looked at: what it is in is given back, with the body's memory as soon as the body
// is over. Nothing is left to Release then.
func (r *Response) DropHead() {
	r.head.Header.Reset()
	heads.Put(r.head)
	r.head = nil
	if len(r.body) == 0 {
		r.freeText()
	}
}

func (r *Response) freeText() {
	bufpool.Put(r.text)
	r.text = nil
}

// Trailer returns the trailer section; it is there when Read has returned io.EOF.
func (r *Response) Trailer() *shockwave.Header { return &r.trailer }

// Bodyless reports whether the head was all of the response.
func (r *Response) Bodyless() bool { return r.alone }

// Buffered returns the body if all of it has arrived with the head, and takes nothing.
func (r *Response) Buffered() (body []byte, whole bool) { return r.body, r.left }

// reset makes r fit for another response.
func (r *Response) reset() {
	if r.head == nil {
		r.head = heads.Get().(*http1.Response)
	}
	r.head.Reset()
	r.trailer.Reset()
	r.text = r.text[:0]
	r.body, r.alone, r.tunnels, r.left, r.upload, r.stop, r.err, r.TLS, r.Reason = nil, false, false, true, nil, nil, nil, nil, nil
	r.state.Store(open)
}

// Release gives back what r holds, when it has been closed. What it gave out is valid no more.
func (r *Response) Release() {
	if r.head != nil {
		r.DropHead()
	}
	r.body = nil
	r.freeText()
}

// fill makes fields the head's: they are copied, one behind the other.
func (r *Response) fill(status int, fields []http2.Field) {
	r.Major, r.Minor, r.Status, r.Reason = 2, 0, status, nil
	r.text = fill(&r.head.Header, r.text[:0], fields)
}

// fill makes h the list of fields, in the memory of b, which it returns.
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

// start is called when the final head has come: it takes in what has come with it.
func (r *Response) start(ctx context.Context, k *Call) {
	r.tunnels = r.Status == 101 || k.Tunnel && r.Status < 300
	if r.ex.whole(r) {
		r.letGo()
		return
	}
	if k.Timeouts != nil {
		r.ex.bound(k.Timeouts.Idle)
	}
	r.watch(ctx)
}

// watch has the end of ctx end the exchange.
func (r *Response) watch(ctx context.Context) {
	if r.stop == nil && ctx.Done() != nil {
		ex, t := r.ex, r.turn
		r.stop = context.AfterFunc(ctx, func() { ex.cancel(t, context.Cause(ctx)) })
	}
}

// letGo leaves the exchange. Nobody reads from it any more.
func (r *Response) letGo() {
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
	if r.left {
		return
	}
	r.left = true
	if r.upload != nil {
		r.upload.responseOver()
	}
	r.ex.leave()
}

// Read implements io.Reader. It fails with io.EOF at the end, io.ErrUnexpectedEOF or *http1.Error for a body that has none,
// or as the exchange was cancelled; and again and again with the same.
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
		r.letGo()
		if !r.state.CompareAndSwap(reading, over) {
			r.state.Store(closed)
		}
		return n, err
	}
	if !r.state.CompareAndSwap(reading, open) {
		r.letGo()
		r.state.Store(closed)
	}
	return n, nil
}

func (r *Response) read(p []byte) (int, error) {
	if !r.left {
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

// keepTrailer copies a trailer section.
func (r *Response) keepTrailer(h *shockwave.Header) {
	for i := range h.Len() {
		r.trailer.AddBytes(h.At(i))
	}
}

// Close gives the rest of the body up. If that is near its end it is read, so that the connection can be used for other
// requests; else the connection, or the stream, ends. Any goroutine may call it, also while another reads.
func (r *Response) Close() error {
	for {
		switch s := r.state.Load(); s {
		case open:
			if r.state.CompareAndSwap(s, closed) {
				if !r.left {
					r.ex.discard()
				}
				r.letGo()
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

// Cancel has the request fail with err as far as its response has not come: so does Do, if it has not returned, and else
// Read. Any goroutine may call it as soon as there is a Response, which is then not used for another request. Who waits for
// a connection is not woken: see Call.Waits.
func (r *Response) Cancel(err error) {
	r.where.Lock()
	if r.canceled == nil {
		r.canceled = err
	}
	ex, t := r.ex, r.turn
	r.where.Unlock()
	if ex != nil {
		ex.cancel(t, err)
	}
}

// enter makes ex what r comes from.
func (r *Response) enter(ex exchange) {
	r.where.Lock()
	r.ex, r.turn, r.left = ex, ex.turn(), false
	err := r.canceled
	r.where.Unlock()
	if err != nil {
		ex.cancel(r.turn, err)
	}
}

// Expire has reads fail that wait longer than d for the next byte, from the next one on; 0 bounds nothing.
func (r *Response) Expire(d time.Duration) {
	if !r.left {
		r.ex.bound(d)
	}
}

// Tunnel makes what the response has opened the caller's (RFC 9110 §7.8, §9.3.6): the connection, or the stream, as a stream
// of bytes. The response has no body then.
func (r *Response) Tunnel() (io.ReadWriteCloser, error) {
	if r.left {
		return nil, errNoTunnel
	}
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
	r.left = true
	r.state.Store(closed)
	return r.ex.tunnel()
}

var errNoTunnel = errors.New("http: the response has opened no tunnel")
