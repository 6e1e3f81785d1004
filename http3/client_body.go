package http3

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// clientBody is the Body of a response. Any goroutine may call Close, also while another one reads.
type clientBody struct {
	x    *clientExchange
	resp *http.Response

	mu     sync.Mutex // held while a goroutine reads
	err    error      // what every further Read returns
	closed atomic.Bool
}

// Read implements io.Reader.
func (b *clientBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed.Load():
		return 0, http.ErrBodyReadAfterClose
	case b.err != nil:
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := b.x.read(p)
	if err == nil {
		return n, nil
	}
	if b.err = err; err == io.EOF {
		b.mergeTrailer()
	}
	b.x.finish(err)
	return n, err
}

// mergeTrailer adds the trailer section to resp.Trailer.
func (b *clientBody) mergeTrailer() {
	for _, f := range b.x.trailer {
		if b.resp.Trailer == nil {
			b.resp.Trailer = make(http.Header)
		}
		b.resp.Trailer.Add(f.name, f.value)
	}
}

// Close ends the response. If it was not read to its end, its stream is reset.
func (b *clientBody) Close() error {
	if !b.closed.Swap(true) {
		b.x.abort(h3frame.RequestCancelled, http.ErrBodyReadAfterClose)
		b.x.finish(http.ErrBodyReadAfterClose)
	}
	return nil
}

// response returns the response with this head. The error is that of a response without content whose end has come and is wrong.
func (x *clientExchange) response(h *http2.Head) (*http.Response, error) {
	resp := &http.Response{
		Status: statusText(h.Status), StatusCode: h.Status, Proto: "HTTP/3.0", ProtoMajor: 3,
		Header: makeHeader(h.Fields), ContentLength: h.ContentLength, Request: x.c.req, TLS: &x.k.state,
	}
	takeTrailerNames(resp)
	body := &clientBody{x: x, resp: resp}
	if !x.c.isBodyless(h.Status) {
		resp.Body = body
		return resp, nil
	}
	resp.Body = http.NoBody
	if h.ContentLength < 0 && x.c.method != http.MethodHead {
		resp.ContentLength = 0
	}
	return resp, x.awaitEnd()
}

// awaitEnd waits for the end of a response without content: on another goroutine if nothing that follows the head has come.
func (x *clientExchange) awaitEnd() error {
	wait := func() error {
		limit := time.AfterFunc(maxAwaitEnd, func() { x.abort(h3frame.RequestCancelled, http.ErrBodyReadAfterClose) })
		defer limit.Stop()
		err := x.skipRest()
		x.finish(err)
		return err
	}
	if !x.in.eof && len(x.in.in) == 0 {
		go wait()
		return nil
	}
	if err := wait(); err != io.EOF && err != http.ErrBodyReadAfterClose {
		return err
	}
	return nil
}

// maxAwaitEnd is how long the stream of a response without content may go on.
const maxAwaitEnd = time.Second

// skipRest reads to the end of a response without content.
func (x *clientExchange) skipRest() error {
	for {
		p, err := x.next()
		if err == nil && p.Trailer {
			err = x.readTrailer(p.Bytes)
		}
		if err != nil {
			return err
		}
	}
}

// takeTrailerNames moves the names in Trailer fields to the keys of resp.Trailer.
func takeTrailerNames(resp *http.Response) {
	lines, ok := resp.Header["Trailer"]
	if !ok {
		return
	}
	delete(resp.Header, "Trailer")
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			key := http.CanonicalHeaderKey(trimSpace(part))
			switch key {
			case "", "Transfer-Encoding", "Trailer", "Content-Length":
				continue
			}
			if resp.Trailer == nil {
				resp.Trailer = make(http.Header)
			}
			resp.Trailer[key] = nil
		}
	}
}
