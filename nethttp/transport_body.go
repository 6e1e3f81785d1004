package nethttp

import (
	"io"
	"net/http"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// reply is a response with its body: one allocation.
type reply struct {
	http.Response
	t        *Transport
	original *http.Request
	conn     *ClientConn // it was sent on; nil is none
	body     responseBody
	cancelation
}

// responseBody is a Response's Body. One goroutine reads; any may close.
type responseBody struct {
	in    httpclient.Response
	reply *reply
	ended bool // the reader has met the end
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err != nil && !b.ended {
		b.readEnded(err)
	}
	if err == http2.ErrShort {
		err = io.ErrUnexpectedEOF // as HTTP/1.1 has it
	}
	return n, err
}

// readEnded is called when reading fails for the first time.
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

// Close gives the rest of the body up: a connection of HTTP/1.1 is closed unless the rest is short, a stream of HTTP/2 is
// reset.
func (b *responseBody) Close() error {
	err := b.in.Close()
	b.reply.finish()
	return err
}
