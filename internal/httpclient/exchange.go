package httpclient

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
)

// exchange is a request that was begun, and its response, in either version of HTTP. One goroutine reads, one may send;
// each leaves when it is done, and has no business here afterwards. Then the exchange is used again, for another turn.
type exchange interface {
	// For the goroutine that reads.

	// await waits for the next head, which it puts into r. It fails with ctx's cause when that ends.
	await(ctx context.Context, r *Response) error
	// told says that an informational response has been handed on: how many may come is counted anew.
	told()
	// whole puts the rest of the response into r if all of it has arrived.
	whole(r *Response) bool
	read(p []byte) (int, error)
	// trailer returns the trailer section, once read has returned io.EOF.
	trailer() *shockwave.Header
	// bound bounds each wait of read; 0 does not.
	bound(idle time.Duration)
	// again reports whether a request that failed with err may be sent again, and what it failed with in the end.
	again(err error, replayable bool) (retry, error)
	// discard reads a response that nobody wants to its end if that is near, so that the connection is fit for others.
	discard()
	// tunnel makes the connection, or stream, the caller's, who closes it instead of leaving.
	tunnel() (io.ReadWriteCloser, error)

	// For the goroutine that sends.

	send(p []byte, end bool) error
	sendTrailer(h *shockwave.Header) error
	// proceed waits until the server wants the body, or d is over, or done is closed. wanted: it is to be sent.
	proceed(d time.Duration, done <-chan struct{}) (wanted bool)

	// For both, before they leave.

	// expire bounds the wait for the head; 0 does not.
	expire(d time.Duration)
	info() connInfo
	turn() turn
	leave()

	// For all: whoever comes when the turn is over does nothing.

	// cancel ends the exchange: who reads and who sends is told err.
	cancel(t turn, err error)
	// hush ends sending with err.
	hush(t turn, err error)
}

// turn numbers the uses of an exchange.
type turn uint32

// connInfo is what an exchange goes over.
type connInfo struct {
	nc     net.Conn
	tls    *tls.ConnectionState
	reused bool          // it has carried a request before
	idle   time.Duration // how long it has carried none
}
