package nethttp

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
	"github.com/shockwave-go/shockwave/server"
)

// drainLimit bounds how much of an unread body Close reads to get at the trailers, as in net/http.
const drainLimit = 256 << 10

// body is the Body of a Request. It copies the bytes of the native request's body into the reader's buffer. Its
// methods may be called concurrently, and at any time, also after the handler has returned. As in net/http there is no
// WriterTo: with one, io.Copy would not call the ReadFrom of its destination.
type body struct {
	x           *exchange // its request receives the trailers
	mu          sync.Mutex
	nr          *server.Request // nil when closed, or when the handler has returned
	remaining   int64           // bytes left of Content-Length; -1 for a chunked body, and for HTTP/2
	err         error           // returned by every further Read
	started     bool            // Read was called: 100 Continue has been sent if the client expects it
	expect      bool            // the client waits for 100 Continue
	reading     atomic.Bool     // the goroutine that holds mu is in nr.Read, and may wait for the peer
	interrupted atomic.Bool     // Close or lockInterrupting ends the Read that holds mu; set without mu
}

// errBodyClosed is the error of reading a body of HTTP/2 that the handler has closed. Its text is that of net/http's error,
// which package grpc looks for.
var errBodyClosed error = bodyClosedError{}

type bodyClosedError struct{}

func (bodyClosedError) Error() string        { return "body closed by handler" }
func (bodyClosedError) Is(target error) bool { return target == http.ErrBodyReadAfterClose }

// closedErrorLocked returns what Read returns after Close, as net/http's bodies do: over HTTP/2 the end that was read
// stays the end.
func (b *body) closedErrorLocked() error {
	switch {
	case b.x.req.ProtoMajor == 1:
		return http.ErrBodyReadAfterClose
	case b.err == io.EOF:
		return io.EOF
	}
	return errBodyClosed
}

// lockUnlessReading locks b.mu and returns true, unless another goroutine is in Read. It spins while mu is held for
// anything else, which takes only a moment.
func (b *body) lockUnlessReading() bool {
	for !b.mu.TryLock() {
		if b.reading.Load() {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// Read reads from the body as it arrives. If the client waits for 100 Continue, the first Read sends that.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nr == nil {
		return 0, b.closedErrorLocked()
	}
	return b.read(p)
}

func (b *body) read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.started = true
	b.reading.Store(true) // before interrupted is read: Close sets that first, and then looks here
	n, err := 0, errBodyClosed
	if !b.interrupted.Load() {
		n, err = b.nr.Read(p)
	}
	b.reading.Store(false)
	if b.remaining > 0 {
		b.remaining -= int64(n)
		if b.remaining == 0 && err == nil {
			err = io.EOF // with the last bytes, which saves a Transport that copies the body another Read
		}
	}
	switch {
	case err == io.EOF && b.remaining < 0:
		b.mergeTrailer()
	case err == nil || err == io.EOF:
	case b.interrupted.Load():
		err = b.closedErrorLocked()
	case b.x.req.ProtoMajor == 1 && errors.Is(err, os.ErrDeadlineExceeded):
		b.x.ctx.end() // as net/http does, where a connection whose reading has failed is over
	}
	b.err = err
	return n, err
}

// failed reports whether reading the body has failed. It returns false while another goroutine is reading, and after
// Close.
func (b *body) failed() bool {
	if !b.lockUnlessReading() {
		return false
	}
	defer b.mu.Unlock()
	return b.err != nil && b.err != io.EOF && !errors.Is(b.err, http.ErrBodyReadAfterClose)
}

// mergeTrailer adds the received trailer fields to req.Trailer (RFC 9112 §7.1.2).
func (b *body) mergeTrailer() {
	t := b.nr.Trailer()
	if t == nil || t.Len() == 0 {
		return
	}
	got := make(http.Header, t.Len())
	for name, value := range t.All() {
		key := headermap.CanonicalKey(string(name))
		got[key] = append(got[key], string(value))
	}
	if r := &b.x.req; r.Trailer == nil {
		r.Trailer = got
	} else {
		maps.Copy(r.Trailer, got)
	}
}

// Close ends reading: after it, Read returns http.ErrBodyReadAfterClose or, over HTTP/2, errBodyClosed, and so does a Read
// in progress. If trailers were announced, Close reads up to drainLimit bytes to get at them. Otherwise the native server
// reads the rest after the response, if that is worth keeping the connection.
func (b *body) Close() error {
	b.interrupted.Store(true)
	if b.reading.Load() {
		b.x.ctx.setReadDeadline(past) // fails when the handler has returned: that interrupts the Read itself
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.interrupted.Store(false)
	if b.nr == nil {
		return nil
	}
	var err error
	if b.x.req.Trailer != nil && !errors.Is(b.err, http.ErrBodyReadAfterClose) {
		err = b.drain()
	}
	b.nr = nil
	return err
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

func (b *body) drain() error {
	if b.expect && !b.started {
		return nil // the client waits for 100 Continue before it sends the body
	}
	buf := bufpool.Get(64 << 10)
	defer bufpool.Put(buf)
	for total := 0; b.err == nil && total < drainLimit; {
		n, _ := b.read(buf)
		total += n
	}
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// detach detaches the body from the connection and returns true, unless another goroutine is reading the body.
func (b *body) detach() bool {
	if !b.lockUnlessReading() {
		return false
	}
	b.nr = nil
	b.mu.Unlock()
	return true
}

// detachInterrupting detaches the body from the connection; a Read in progress fails. nw is nil if the connection was
// hijacked: no Read is in progress then.
func (b *body) detachInterrupting(nw *server.ResponseWriter) {
	b.lockInterrupting(nw)
	b.nr = nil
	b.mu.Unlock()
}

// lockInterrupting locks b.mu. A Read in progress is interrupted and returns what it returns after Close.
func (b *body) lockInterrupting(nw *server.ResponseWriter) {
	if b.mu.TryLock() {
		return
	}
	b.interrupted.Store(true)
	if nw != nil {
		nw.SetReadDeadline(past)
	}
	b.mu.Lock()
	b.interrupted.Store(false)
}
