package nethttp

import (
	"io"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// reply is a response with its body and the state of its request, in one allocation.
type reply struct {
	http.Response
	t        *Transport
	original *http.Request // the request as passed to RoundTrip
	conn     *ClientConn   // on which the request was sent; nil for the Transport's own connections
	body     responseBody
	cancelation
}

// responseBody is the Body of a Response. Read may be called by one goroutine at a time, Close by any.
type responseBody struct {
	in    httpclient.Response
	reply *reply
	ended bool // Read has returned the final error
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err != nil && !b.ended {
		b.readEnded(err)
	}
	return n, err
}

// readEnded is called when Read fails for the first time, also with io.EOF.
func (b *responseBody) readEnded(err error) {
	if err == httpclient.ErrBodyClosed || err == httpclient.ErrTwoReaders {
		return
	}
	b.ended = true
	b.reply.finish()
	if err == io.EOF {
		b.reply.mergeTrailer()
	}
}

// Close discards the rest of the body. A connection of HTTP/1.1 is closed unless the rest is short; a stream of
// HTTP/2 is reset.
func (b *responseBody) Close() error {
	err := b.in.Close()
	b.reply.finish()
	return err
}
