package nethttp

import (
	"io"
	"maps"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// drainLimit is how much of a body that nobody wants is read for its trailers, as in net/http.
const drainLimit = 256 << 10

// body is a Request's Body: the native request's bytes, copied into the reader's buffer. Its methods may be called
// concurrently, and for ever.
type body struct {
	mu      sync.Mutex
	nr      *server.Request // nil when closed or when the handler has returned
	req     *http.Request   // gets the trailers
	left    int64           // of Content-Length; -1 for a chunked body, and of HTTP/2
	err     error           // what every further Read says
	asked   bool            // something was read: a client that expects 100 Continue has been told
	expect  bool            // the client waits for 100 Continue
	reads   atomic.Bool     // who holds mu reads from the connection, and may wait for the peer
	closing atomic.Bool     // the Read that holds mu is being broken off; set without mu
}

// take takes b.mu, unless another goroutine reads with it right now, and reports whether it did. Who has it for anything else
// is done in a moment.
func (b *body) take() bool {
	for !b.mu.TryLock() {
		if b.reads.Load() {
			return false
		}
		runtime.Gosched()
	}
	return true
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

// WriteTo lets io.Copy read in larger pieces than its own.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	buf := getCopyBuffer()
	defer putCopyBuffer(buf)
	// Nothing but Write and Read: io.CopyBuffer would leave the buffer aside for what else they can do.
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{b}, *buf)
}

func (b *body) read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.asked = true
	b.reads.Store(true)
	n, err := b.nr.Read(p)
	b.reads.Store(false)
	if b.left > 0 {
		b.left -= int64(n)
		if b.left == 0 && err == nil {
			err = io.EOF // say so with the last bytes: a Transport that copies us need not ask again
		}
	}
	switch {
	case err == io.EOF && b.left < 0:
		b.mergeTrailer()
	case err != nil && err != io.EOF && b.closing.Load():
		err = http.ErrBodyReadAfterClose
	}
	b.err = err
	return n, err
}

// failed reports whether the body could not be read.
func (b *body) failed() bool {
	if !b.take() {
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

// Close ends reading: afterwards Read says http.ErrBodyReadAfterClose. What is left of the body is the native server's,
// which reads it behind the answer if that saves the connection. If trailers were announced they are read for, within
// drainLimit.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nr == nil {
		return nil
	}
	var err error
	if b.req.Trailer != nil {
		err = b.drain()
	}
	b.nr = nil
	return err
}

func (b *body) drain() error {
	if b.expect && !b.asked {
		return nil // the client sends nothing unless asked
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

// release cuts the body from the connection, unless another goroutine reads it right now, and reports whether it did.
func (b *body) release() bool {
	if !b.take() {
		return false
	}
	b.nr = nil
	b.mu.Unlock()
	return true
}

// breakOff cuts the body from the connection; a Read that waits with it ends. nw is nil if the connection has been
// taken over: then nothing waits.
func (b *body) breakOff(nw *server.ResponseWriter) {
	b.seize(nw)
	b.nr = nil
	b.mu.Unlock()
}

// seize takes b.mu. A Read that waits with it is broken off and says what one after Close would.
func (b *body) seize(nw *server.ResponseWriter) {
	if b.mu.TryLock() {
		return
	}
	b.closing.Store(true)
	if nw != nil {
		nw.SetReadDeadline(time.Unix(1, 0))
	}
	b.mu.Lock()
	b.closing.Store(false)
}
