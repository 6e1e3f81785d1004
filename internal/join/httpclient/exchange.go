package httpclient

import (
	"context"
	"crypto/tls"
	"io"
	"time"

	"github.com/shockwave-go/shockwave"
)

// exchange is a request that has begun, and its response, in either version of HTTP. One goroutine reads; another one may
// send. Each calls leave when it is done and does not use the exchange afterwards. When both have left, the exchange is
// reused for another request; turn tells the uses apart.
type exchange interface {
	// unsent returns the rest of a body in memory that could not be sent with the head. If there is one, the caller lets
	// another goroutine send it. It is called once, before the following methods.
	unsent() []byte

	// The following methods are for the goroutine that reads.

	// await waits for the next head and stores it in m. If ctx is done before, await returns its cause. It may call w.watch
	// before it waits; then the watcher of ctx cancels the exchange.
	await(ctx context.Context, m *message, w contextWatcher) error
	// resetInterim starts the count of informational responses anew: one of them has been passed on.
	resetInterim()
	// whole reports whether the rest of the response has arrived. If so it stores it in m.
	whole(m *message) bool
	read(p []byte) (int, error)
	// trailer returns the trailer section. It is valid after read has returned io.EOF.
	trailer() *shockwave.Header
	// boundRead bounds each wait of read; 0 means no bound.
	boundRead(idle time.Duration)
	// canRetry returns why a request that failed with err may be sent again, and the error to report if it is not.
	canRetry(err error, replayable bool) (retry, error)
	// discard reads the rest of an unwanted response if that is short, so that the connection can be reused.
	discard()
	// tunnel returns the connection, or the stream, as a stream of bytes. The caller closes it instead of calling leave.
	tunnel() (io.ReadWriteCloser, error)

	// The following methods are for the goroutine that sends.

	send(p []byte, end bool) error
	sendTrailer(h *shockwave.Header) error
	// proceed waits until the server asks for the body, d has passed or done is closed. wanted reports whether to send it.
	proceed(d time.Duration, done <-chan struct{}) (wanted bool)

	// The following methods are for both goroutines, before they leave.

	// boundHead bounds the wait for the head; 0 means no bound.
	boundHead(d time.Duration)
	// tls returns the state of the connection's TLS, nil without TLS.
	tls() *tls.ConnectionState
	// info describes the connection to a Trace.
	info() connInfo
	turn() turn
	leave()

	// The following methods may be called by any goroutine. They do nothing if turn t is over.

	// cancel ends the exchange: reading and sending fail with err.
	cancel(t turn, err error)
	// stopSending makes sending fail with err.
	stopSending(t turn, err error)
}

// turn is the number of one use of an exchange.
type turn int

// contextWatcher cancels the exchange when a context ends.
type contextWatcher interface{ watch(ctx context.Context) }
