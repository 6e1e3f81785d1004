package roundtrip

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// unzip makes the body of a gzip response be read decompressed, as http.Transport does. It removes the fields that
// describe the compressed body.
func unzip(resp *http.Response) {
	if v := resp.Header["Content-Encoding"]; len(v) != 1 || !strings.EqualFold(v[0], "gzip") {
		return
	}
	delete(resp.Header, "Content-Encoding")
	delete(resp.Header, "Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	resp.Body = &gzipBody{body: resp.Body}
}

// gzipBody decompresses body. It does not read from it before the first Read.
type gzipBody struct {
	body   io.ReadCloser
	zr     *gzip.Reader
	err    error
	closed atomic.Bool
}

// Read implements io.Reader.
func (g *gzipBody) Read(p []byte) (int, error) {
	if g.closed.Load() {
		return 0, httpclient.ErrBodyClosed
	}
	if g.zr == nil && g.err == nil {
		g.zr, g.err = gzip.NewReader(g.body)
	}
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.zr.Read(p)
	if err != nil {
		g.err = err
	}
	return n, err
}

// Close closes the compressed body.
func (g *gzipBody) Close() error {
	g.closed.Store(true)
	return g.body.Close()
}
