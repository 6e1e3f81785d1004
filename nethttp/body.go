package nethttp

import (
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// drainLimit is how much of a body that nobody wants is read to save the connection, as in net/http.
const drainLimit = 256 << 10

// body is a Request's Body: the native request's bytes, copied into the reader's buffer. Its methods may be called
// concurrently, and for ever.
type body struct {
	mu     sync.Mutex
	nr     *server.Request // nil when closed or when the handler has returned
	req    *http.Request   // gets the trailers
	left   int64           // of Content-Length; -1 for a chunked body
	asked  bool            // something was read: a client that expects 100 Continue has been told
	expect bool            // the client waits for 100 Continue
	err    error           // what every further Read says
}

// Read streams. It asks for the body with 100 Continue if the client waits for that.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nr == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.read(p)
}

func (b *body) read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.asked = true
	n, err := b.nr.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
		if b.left == 0 && err == nil {
			err = io.EOF // say so with the last bytes: a Transport that copies us need not ask again
		}
	}
	if err != nil {
		b.err = err
		if err == io.EOF && b.left < 0 {
			b.mergeTrailer()
		}
	}
	return n, err
}

// there tells whether the request has a body. It does not change.
func (b *body) there() bool { return b.req != nil }

// failed tells whether the body could not be read.
func (b *body) failed() bool {
	if !b.mu.TryLock() {
		return false // somebody reads it right now
	}
	defer b.mu.Unlock()
	return b.err != nil && b.err != io.EOF
}

// mergeTrailer makes the trailer fields known (RFC 9112 §7.1.2).
func (b *body) mergeTrailer() {
	t := b.nr.Trailer()
	if t == nil || t.Len() == 0 {
		return
	}
	got := make(http.Header, t.Len())
	for i := range t.Len() {
		name, value := t.At(i)
		key := canonicalKey(string(name))
		got[key] = append(got[key], string(value))
	}
	if b.req.Trailer == nil {
		b.req.Trailer = got
	} else {
		maps.Copy(b.req.Trailer, got)
	}
}

// Close reads what is left, within drainLimit, so that the connection can be used again and trailers are seen.
// Reading afterwards says http.ErrBodyReadAfterClose.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nr == nil {
		return nil
	}
	err := b.drain()
	b.nr = nil
	return err
}

func (b *body) drain() error {
	if b.expect && !b.asked || b.left > drainLimit {
		return nil // the client sends nothing unless asked; or too much
	}
	buf := getCopyBuffer()
	defer putCopyBuffer(buf)
	for total := 0; b.err == nil && total < drainLimit; {
		n, _ := b.read(*buf)
		total += n
	}
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// detach cuts the body from the connection. If another goroutine still reads it, and may wait for the peer for long,
// the answer is sent first and the read broken off: the connection is lost, the answer is not.
func (b *body) detach(x *exchange) {
	if !b.mu.TryLock() {
		x.res.flushLast()
		b.seize(&x.ctx)
	}
	b.nr = nil
	b.mu.Unlock()
}

// seize takes b.mu; a Read that waits with it is broken off.
func (b *body) seize(ctx *requestContext) {
	if !b.mu.TryLock() {
		ctx.setReadDeadline(time.Unix(1, 0))
		b.mu.Lock()
	}
}
