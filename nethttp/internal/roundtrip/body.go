package roundtrip

import (
	"io"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// reply is a response with its body and the state of its request, in one allocation.
type reply struct {
	http.Response
	running  *inProgress
	original *http.Request // the request as passed to RoundTrip
	conn     connUser      // the connection that must learn of the request's end; nil for those of the Engine
	body     responseBody
	cancelation
}

// connUser is a Conn, as its requests see it.
type connUser interface {
	leave()   // the request has ended
	changed() // the connection may take another request
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
