package server

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/httpread"
)

// requestBody reads one request's body: from the input buffer, if it arrived with its head, else from the connection.
// Its fields are for the goroutine that reads, except for expect.
type requestBody struct {
	httpread.Body
	buf           []byte            // of Request.Body
	streamTrailer *shockwave.Header // the trailers of a stream
	expect        atomic.Uint32     // an expectation
}

// expectation is how far "Expect: 100-continue" has come (RFC 9110 §10.1.1). In full duplex one goroutine reads while
// another begins the answer: whichever of them comes first decides.
const (
	notExpected  uint32 = iota
	expected            // the client waits before it sends the body
	continued           // it has been told to
	notContinued        // the final answer has begun: it need not send the body
)

// withdraw says that the final answer begins: a client that waits to be told to go on will not be.
func (b *requestBody) withdrawContinue() {
	if b.Streamed() {
		b.expect.CompareAndSwap(expected, notContinued)
	}
}

// await notes whether the client waits to be told to send b, which has been started.
func (b *requestBody) initExpect(expects bool) {
	b.expect.Store(notExpected)
	if expects && !b.Ended() {
		b.expect.Store(expected)
	}
}

// ask tells a client to go on that waits for that before it sends its body.
func (r *Request) sendContinue() {
	b := &r.body
	if b.Streamed() && b.Check() == nil && b.expect.CompareAndSwap(expected, continued) {
		if err := r.x.sink.inform(http.StatusContinue, nil); err != nil {
			b.Fail(err)
		}
	}
}

// Read reads the body as it arrives. The first Read sends "100 Continue" when the client waits for that. It fails with
// io.EOF at the end, *http.MaxBytesError beyond the limit, io.ErrUnexpectedEOF when the client has closed too early,
// *http1.Error for a malformed body, an error that wraps os.ErrDeadlineExceeded when the client is too slow, and
// http.ErrBodyReadAfterClose when the rest was thrown away because the answer had to begin (see EnableFullDuplex). If
// the handler says nothing after such an error, the server answers with the status that fits it.
func (r *Request) Read(p []byte) (int, error) {
	r.sendContinue()
	n, err := r.body.Read(r.x.source, p)
	return n, r.readError(err)
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

// told returns what a handler is told of err.
func (r *Request) readError(err error) error {
	switch err {
	case nil, io.EOF:
		return err
	case httpread.ErrTooLarge:
		return &http.MaxBytesError{Limit: r.body.Limit()}
	}
	return r.x.connError("read", err)
}

// Body returns what is left of the body, whole. It is valid until the handler returns, and grows with what arrives,
// never ahead of it. It fails as Read does; what no slice can hold is beyond every limit.
func (r *Request) Body() ([]byte, error) {
	r.sendContinue()
	b := &r.body
	p, err := b.ReadAll(r.x.source, b.buf)
	if b.Streamed() && p != nil {
		b.buf = p
	}
	return p, r.readError(err)
}

// failure is what went wrong with reading, nil if nothing did.
func (r *Request) failure() error {
	if err := r.body.Err(); err != nil && err != io.EOF {
		return r.readError(err)
	}
	return nil
}

// Trailer returns the trailer fields of a chunked body, or of HTTP/2 (RFC 9110 §6.5), when Read has said io.EOF; before, and without
// any, an empty list. It must not be changed.
func (r *Request) Trailer() *shockwave.Header {
	if b := &r.body; b.streamTrailer != nil && b.Err() == io.EOF {
		return b.streamTrailer
	}
	return r.body.Trailer()
}

// SetMaxBody changes how many bytes of the body may be read: Config.MaxBodyBytes for this request. Negative is no
// limit.
func (r *Request) SetMaxBody(n int64) { r.body.SetLimit(n) }
