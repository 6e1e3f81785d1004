package roundtrip

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// closeBody closes the body of a request that is not sent.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// bodyLength returns the length of a request's body: 0 if there is none, -1 if it is not known.
func bodyLength(req *http.Request) int64 {
	switch {
	case req.Body == nil || req.Body == http.NoBody:
		return 0
	case slices.Equal(req.TransferEncoding, chunked):
		return -1
	case req.ContentLength != 0:
		return max(req.ContentLength, -1)
	}
	return -1
}

var chunked = []string{"chunked"}

// setBody decides how the body of the request is sent.
func (k *call) setBody() error {
	req := k.req
	body := req.Body
	k.length = bodyLength(req)
	k.Expect = 0
	if k.length == 0 {
		closeBody(req)
		k.Length = 0
		return nil
	}
	if k.Tunnel { // the body is copied into the tunnel
		k.Length = 0
		return nil
	}
	waits := hasToken(req.Header["Expect"], "100-continue")
	if k.length < 0 && !waits && mayLackBody(k.Method) {
		if body = probe(body); body == nil {
			closeBody(req)
			k.length, k.Length = 0, 0
			return nil
		}
	}
	k.Length = k.length
	if len(req.Trailer) == 0 && !waits && k.length > 0 && k.length <= maxInlineBody && inMemory(body) {
		return k.bufferBody(body)
	}
	k.Body = onceClosed(body)
	if waits {
		k.Expect = max(k.ExpectContinueTimeout, 0)
	}
	if req.GetBody != nil {
		k.Rewind = func() (io.ReadCloser, error) {
			body, err := req.GetBody()
			return onceClosed(body), err
		}
	}
	if len(req.Trailer) > 0 {
		k.Call.Trailer = k.trailerFields
	}
	return nil
}

// maxInlineBody is the size up to which a body in memory is sent in one write with the head.
const maxInlineBody = 32 << 10

// bufferBody copies a body that is in memory into a buffer from the pool.
func (k *call) bufferBody(body io.ReadCloser) error {
	b := bufpool.Get(int(k.length) + 1)[:k.length+1]
	n, err := io.ReadFull(body, b)
	if err == nil { // it is longer than ContentLength; net/http reports its whole length
		rest, _ := io.Copy(io.Discard, body)
		n += int(rest)
	}
	if k.Bytes = b[:min(n, int(k.length))]; int64(n) != k.length {
		return fmt.Errorf("http: ContentLength=%d with Body length %d", k.length, n)
	}
	body.Close()
	return nil
}

// inMemory reports whether a body is of one of the types for which http.NewRequest knows the length.
func inMemory(body io.Reader) bool {
	switch body.(type) {
	case *bytes.Reader, *bytes.Buffer, *strings.Reader:
		return true
	}
	if t := reflect.TypeOf(body); t == nopCloser || t == nopCloserWriterTo {
		inner, _ := reflect.ValueOf(body).Field(0).Interface().(io.Reader)
		return inMemory(inner)
	}
	return false
}

// The types that io.NopCloser returns.
var (
	nopCloser         = reflect.TypeOf(io.NopCloser(nil))
	nopCloserWriterTo = reflect.TypeOf(io.NopCloser(struct {
		io.Reader
		io.WriterTo
	}{}))
)

// mayLackBody reports whether requests with this method mostly have no body, so that servers may not expect one. The
// Transport then finds out whether there is one before it sends the head.
func mayLackBody(method string) bool {
	switch method {
	case "GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND", "SEARCH":
		return true
	}
	return false
}

// probe reads the first byte of a body, as http.Transport does. It returns nil if the body is empty. Otherwise, or if
// the byte does not arrive within 200 ms, it returns a body that begins with it.
func probe(body io.ReadCloser) io.ReadCloser {
	p := &probedBody{body: body, done: make(chan struct{})}
	go func() {
		p.n, p.err = body.Read(p.first[:])
		close(p.done)
	}()
	timer := time.NewTimer(200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-p.done:
		if p.n == 0 && p.err == io.EOF {
			return nil
		}
	case <-timer.C:
	}
	return p
}

// probedBody is a body whose first byte is read by the goroutine of probe.
type probedBody struct {
	body  io.ReadCloser
	done  chan struct{} // closed when the first byte has been read
	first [1]byte
	n     int
	err   error
}

// Read implements io.Reader.
func (p *probedBody) Read(b []byte) (int, error) {
	<-p.done
	if p.n > 0 && len(b) > 0 {
		b[0], p.n = p.first[0], 0
		return 1, p.err
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.body.Read(b)
}

// Close implements io.Closer.
func (p *probedBody) Close() error { return p.body.Close() }

// onceClosed returns body with a Close method that may be called more than once.
func onceClosed(body io.ReadCloser) io.ReadCloser {
	if body == nil {
		return nil
	}
	return &closedOnce{ReadCloser: body}
}

type closedOnce struct {
	io.ReadCloser
	once sync.Once
}

// Close implements io.Closer.
func (c *closedOnce) Close() (err error) {
	c.once.Do(func() { err = c.ReadCloser.Close() })
	return err
}
