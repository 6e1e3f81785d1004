package server

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// requestBody reads the body of one request: from the input buffer if it arrived with its head, otherwise from the
// connection. Its fields belong to the goroutine that reads, except for expect and expectMu.
type requestBody struct {
	httpread.Body
	buf           []byte            // memory of the slice that Request.Body returns
	streamTrailer *shockwave.Header // trailer fields of an HTTP/2 stream, nil on HTTP/1
	expect        atomic.Uint32     // the state of "Expect: 100-continue": one of the constants below
	expectMu      sync.Mutex        // held while 100 is sent, and while the final response ends the expectation
}

// The states of "Expect: 100-continue" (RFC 9110 §10.1.1). In full duplex one goroutine may read while another begins
// the response. The reader sends 100 under expectMu, so that 100 is sent before the final response or not at all.
const (
	notExpected  uint32 = iota
	expected            // the client waits for 100 before it sends the body
	continued           // 100 was sent
	notContinued        // the final response has begun; the client need not send the body
)

// withdrawContinue is called when the final response begins: from now on no 100 Continue is sent. If the reader is sending
// one, withdrawContinue waits until that has been queued.
func (b *requestBody) withdrawContinue() {
	if b.Streamed() && b.expect.Load() == expected {
		b.expectMu.Lock()
		b.expect.CompareAndSwap(expected, notContinued)
		b.expectMu.Unlock()
	}
}

// initExpect is called after b has been started. expects reports whether the client waits for 100 before it sends b.
func (b *requestBody) initExpect(expects bool) {
	b.expect.Store(notExpected)
	if expects && !b.Ended() {
		b.expect.Store(expected)
	}
}

// sendContinue sends 100 Continue if the client waits for it and it has not been sent.
func (r *Request) sendContinue() {
	b := &r.body
	if !b.Streamed() || b.Check() != nil || b.expect.Load() != expected {
		return
	}
	b.expectMu.Lock()
	defer b.expectMu.Unlock()
	if b.expect.Load() != expected {
		return
	}
	if err := r.x.sink.inform(http.StatusContinue, nil); err != nil {
		b.Fail(err)
	}
	b.expect.Store(continued)
}

// Read reads the body as it arrives. The first Read sends "100 Continue" if the client waits for that.
//
// Read returns io.EOF at the end, *http.MaxBytesError beyond the limit, io.ErrUnexpectedEOF if the client closed too
// early, *http1.Error for a malformed body, and an error that wraps os.ErrDeadlineExceeded if the client is too slow.
// It returns http.ErrBodyReadAfterClose if the rest of the body was discarded because the response had to begin (see
// EnableFullDuplex). If the handler writes no response after such an error, the server responds with the fitting status.
func (r *Request) Read(p []byte) (int, error) {
	r.sendContinue()
	n, err := r.body.Read(r.x.source, p)
	return n, r.readError(err)
}

// WriteTo writes the unread rest of the body to w: by w's ReadFrom if there is one, as io.Copy would if Request had no
// WriteTo, else in larger pieces than io.Copy's. It returns the errors of Read, except io.EOF, and those of w. The slice
// passed to w is only valid until w's Write returns.
func (r *Request) WriteTo(w io.Writer) (int64, error) {
	if to, ok := w.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return bufpool.Copy(w, r)
}

// readError converts err, an error of reading the body, into the one that handlers get.
func (r *Request) readError(err error) error {
	switch err {
	case nil, io.EOF:
		return err
	case httpread.ErrTooLarge:
		return &http.MaxBytesError{Limit: r.body.Limit()}
	}
	return r.x.link.WireError("read", err)
}

// Body reads the rest of the body and returns it. The slice is valid until the handler returns. Its memory grows with
// the bytes that arrive, never in advance. Body returns the errors of Read except io.EOF, and *http.MaxBytesError for a
// body that does not fit into a slice.
func (r *Request) Body() ([]byte, error) {
	r.sendContinue()
	b := &r.body
	p, err := b.ReadAll(r.x.source, b.buf)
	if b.Streamed() && p != nil {
		b.buf = p
	}
	return p, r.readError(err)
}

// failure returns the error that reading the body has failed with, nil if it has not failed.
func (r *Request) failure() error {
	if err := r.body.Err(); err != nil && err != io.EOF {
		return r.readError(err)
	}
	return nil
}

// Trailer returns the trailer fields of a chunked body or of an HTTP/2 request (RFC 9110 §6.5). It is empty until Read
// has returned io.EOF, and if there are none. It must not be changed.
func (r *Request) Trailer() *shockwave.Header {
	if b := &r.body; b.streamTrailer != nil && b.Err() == io.EOF {
		return b.streamTrailer
	}
	return r.body.Trailer()
}

// SetMaxBody replaces Config.MaxBodyBytes for this request: how many bytes of the body may be read. A negative n means
// no limit.
func (r *Request) SetMaxBody(n int64) { r.body.SetLimit(n) }
