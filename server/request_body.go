package server

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// requestBody reads one request's body: from the input buffer, if it arrived with its head, else from the connection.
// Its fields are for the goroutine that reads, except for expect.
type requestBody struct {
	whole    []byte // what is left of a body that arrived with its head
	streamed bool   // whole is not used, dec is
	dec      http1.Body
	length   int64         // Content-Length, -1 if chunked
	read     int64         // bytes given out
	max      int64         // most bytes that may be
	err      error         // what every further read says; io.EOF at the end
	buf      []byte        // of Request.Body
	expect   atomic.Uint32 // an expectation
}

// expectation is how far "Expect: 100-continue" has come (RFC 9110 §10.1.1). In full duplex one goroutine reads while
// another begins the answer: whichever of them comes first decides.
const (
	notExpected  uint32 = iota
	expected            // the client waits before it sends the body
	continued           // it has been told to
	notContinued        // the final answer has begun: it need not send the body
)

var (
	crlf        = []byte("\r\n")
	continueNow = []byte("HTTP/1.1 100 Continue\r\n\r\n")
	noTrailer   shockwave.Header
)

// withdraw says that the final answer begins: a client that waits to be told to go on will not be.
func (b *requestBody) withdraw() {
	if b.streamed {
		b.expect.CompareAndSwap(expected, notContinued)
	}
}

// reset makes b a body that is not there.
func (b *requestBody) reset(most int64) {
	b.whole, b.streamed, b.read, b.max, b.err = nil, false, 0, most, nil
}

// startWhole makes b a body that is here already.
func (b *requestBody) startWhole(p []byte) {
	b.whole, b.length = p, int64(len(p))
}

// startStream makes r's body one that is read from the connection.
func (r *Request) startStream() {
	b := &r.body
	b.streamed = true
	b.length = r.ContentLength()
	b.dec.Start(r.head.Framing, r.head.Limits)
	b.expect.Store(notExpected)
	if r.head.Expect && !b.dec.Done() {
		b.expect.Store(expected)
	}
	k := r.x.conn
	if limit := k.srv.cfg.ReadTimeout; limit > 0 {
		r.x.c.SetReadDeadline(time.Now().Add(limit))
	} else if k.readDeadline.Load() {
		k.readDeadline.Store(false)
		r.x.c.SetReadDeadline(time.Time{})
	}
}

// Read reads the body as it arrives. The first Read sends "100 Continue" when the client waits for that. It fails with
// io.EOF at the end, *http.MaxBytesError beyond the limit, io.ErrUnexpectedEOF when the client has closed too early,
// *http1.Error for a malformed body, an error that wraps os.ErrDeadlineExceeded when the client is too slow, and
// http.ErrBodyReadAfterClose when the rest was thrown away because the answer had to begin (see EnableFullDuplex). If
// the handler says nothing after such an error, the server answers with the status that fits it.
func (r *Request) Read(p []byte) (int, error) {
	b := &r.body
	if b.err == nil {
		b.err = b.refuseLength()
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.streamed {
		return b.readStream(r.x.c, p)
	}
	n := copy(p, b.whole)
	b.whole = b.whole[n:]
	b.read += int64(n)
	if n == 0 && len(b.whole) == 0 {
		b.err = io.EOF
	}
	return n, b.err
}

// WriteTo writes what is left of the body to w, in larger pieces than io.Copy would read for itself. It fails as Read
// does, io.EOF aside, or as w does. What w is given is only good until its Write returns.
func (r *Request) WriteTo(w io.Writer) (int64, error) {
	buf := bufpool.Get(copySize)
	defer bufpool.Put(buf)
	var total int64
	for {
		n, err := r.Read(buf)
		if n > 0 {
			m, werr := w.Write(buf[:n])
			total += int64(m)
			if werr == nil && m < n {
				werr = io.ErrShortWrite
			}
			if werr != nil {
				return total, werr
			}
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// copySize is how much WriteTo reads at once: a system call for each 8 KiB, as io.Copy would do it, makes a large body
// twice as dear.
const copySize = 64 << 10

// refuseLength fails for a body that says itself that it is too large: before it is asked for.
func (b *requestBody) refuseLength() error {
	if b.length > b.max {
		return b.tooLarge()
	}
	return nil
}

func (b *requestBody) tooLarge() error { return &http.MaxBytesError{Limit: b.max} }

// Body returns what is left of the body, whole. It is valid until the handler returns, and grows with what arrives,
// never ahead of it. It fails as Read does.
func (r *Request) Body() ([]byte, error) {
	b := &r.body
	if b.err == nil {
		b.err = b.refuseLength()
	}
	if b.err != nil {
		return nil, b.failure()
	}
	if !b.streamed {
		p := b.whole
		b.whole, b.err = nil, io.EOF
		b.read += int64(len(p))
		return p, nil
	}
	b.buf = b.buf[:0]
	for b.err == nil {
		if b.dec.Done() {
			b.err = io.EOF // known without another read, and without room for one
			break
		}
		b.buf = b.grow(b.buf)
		n, _ := b.readStream(r.x.c, b.buf[len(b.buf):cap(b.buf)])
		b.buf = b.buf[:len(b.buf)+n]
	}
	return b.buf, b.failure()
}

// grow makes room in buf: twice as much as there was, but no more than a known length needs.
func (b *requestBody) grow(buf []byte) []byte {
	if len(buf) < cap(buf) {
		return buf
	}
	size := max(4<<10, 2*cap(buf))
	if left := b.length - b.read; b.length >= 0 && left < int64(size-len(buf)) {
		size = len(buf) + int(left)
	}
	return append(make([]byte, 0, size), buf...)
}

// failure is what went wrong with reading, nil if nothing did.
func (b *requestBody) failure() error {
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// Trailer returns the trailer fields of a chunked body (RFC 9110 §6.5), when Read has said io.EOF; before, and without
// any, an empty list. It must not be changed.
func (r *Request) Trailer() *shockwave.Header {
	if r.body.streamed && r.body.err == io.EOF {
		return r.body.dec.Trailer()
	}
	return &noTrailer
}

// SetMaxBody changes how many bytes of the body may be read: Config.MaxBodyBytes for this request. Negative is no
// limit.
func (r *Request) SetMaxBody(n int64) { r.body.max = orNone(n) }
