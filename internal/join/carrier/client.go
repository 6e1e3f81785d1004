package carrier

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// ClientConfig holds the settings of a client for its connections over TCP, which also apply to those of HTTP/3. Where the
// transport has settings of its own, these do not count.
type ClientConfig struct {
	TLS         *tls.Config // nil means the defaults; it is not changed
	IdleTimeout time.Duration
	HeadBytes   int   // of a response, counted as in RFC 9114 §4.2.2
	HeadFields  int   // of a response
	Budget      int32 // of work without progress; zero means the default, a negative value no limit
}

// Origin is a server as a client knows it.
type Origin struct {
	Host string // which the server's certificate must be for, without port
	Addr string // host:port where it is
}

// Client carries requests over connections that it opens and keeps. All methods may be called concurrently.
type Client interface {
	// Ready reports whether there is a connection to o that takes requests.
	Ready(o Origin) bool
	// Dial opens a connection to o unless there is one. Calls for the same origin share one dial, which goes on until it has
	// come to an end or all of their contexts have.
	Dial(ctx context.Context, o Origin) error
	// Begin begins a request and sends its head. If there is no connection it opens one.
	Begin(ctx context.Context, o Origin, r *ClientRequest) (ClientStream, error)
	// Lookup asks the domain name system where o speaks HTTP/3, and for how long that is true (RFC 9460 §9). ok is false if it
	// does not say, or cannot be asked.
	Lookup(ctx context.Context, o Origin) (addr string, ttl time.Duration, ok bool)
	// CloseIdle closes the connections without requests.
	CloseIdle()
	// Close closes all connections. Requests fail, and no more begin.
	Close()
	// Unprocessed reports whether a request that has failed with err has not been processed by its server.
	Unprocessed(err error) bool
}

// ClientRequest is a request to begin.
type ClientRequest struct {
	Method string
	Head   Section
	Sends  bool // another goroutine sends a body, and leaves
	Expect bool // that goroutine calls Proceed first
	Early  bool // the method is safe: the request may be sent before the handshake is complete (RFC 8470)
	Last   bool // its connection takes no more requests
	Tunnel bool // the method is CONNECT
	// Waits, unless nil, is called when the request has to wait, and bounds the wait.
	Waits func(context.Context) (context.Context, context.CancelFunc)
}

// ClientHead is the head of a response. Fields are valid until the next head is awaited.
type ClientHead struct {
	Status int
	Length int64 // the content-length; -1 if there is none
	Fields []http2.Field
}

// ClientStream is a request that has begun, and its response. One goroutine reads; another one may send. Each calls Leave
// when it is done and does not use the stream afterwards.
type ClientStream interface {
	NetConn() net.Conn // for its addresses
	TLS() *tls.ConnectionState
	Reused() bool // its connection has carried a request before
	Early() bool  // it was sent before the handshake was complete

	// Await waits for the next head. Those with a status below 200 precede the final one.
	Await(ctx context.Context) (ClientHead, error)
	// Bare reports, after the final head, that the response has no content.
	Bare() bool
	// Whole returns the content, in a buffer from bufpool, if all of the response has arrived.
	Whole() (p []byte, ok bool)
	Read(p []byte) (int, error)
	// Trailer returns the trailer section. It is complete when Read has returned io.EOF.
	Trailer() []http2.Field
	// SetReadTimeout bounds each wait of Read, which fails with netconn.ErrSlow then.
	SetReadTimeout(d time.Duration)
	// Unanswered reports that the connection has ended and that nothing was received on it since the request began.
	Unanswered(err error) bool

	// SendNow sends content and the end of the request, if that does not have to wait. Else it sends nothing.
	SendNow(p []byte) (sent bool, err error)
	// Send sends content, and with end the end of the request.
	Send(p []byte, end bool) error
	// SendTrailer ends the request with a trailer section.
	SendTrailer(s Section) error
	// Proceed waits until the server asks for the content, d has passed or done is closed. wanted reports whether to send it.
	Proceed(d time.Duration, done <-chan struct{}) (wanted bool)

	// Expire makes Await fail with netconn.ErrSlow if the final head has not arrived after d. Both goroutines may call it.
	Expire(d time.Duration)
	Leave()

	// Cancel ends the request: reading and sending fail with err. Any goroutine may call it, also after Leave.
	Cancel(err error)
	// StopSending makes sending fail with err. Any goroutine may call it, also after Leave.
	StopSending(err error)
}
