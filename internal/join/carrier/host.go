package carrier

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Carrier is a transport of another module that carries exchanges of a server. All methods may be called by any goroutine.
type Carrier interface {
	// StopAccepting refuses new connections from now on.
	StopAccepting()

	// Shutdown lets the connections take no more requests, waits for those that are running, and ends the connections when the
	// responses have arrived. It returns when that is done, or ctx's error.
	Shutdown(ctx context.Context) error

	// CloseConnections ends all connections at once.
	CloseConnections()

	// Stats returns the counters of the carrier's connections.
	Stats() netconn.Stats
}

// Host is a server, as a carrier sees it. All methods may be called by any goroutine.
type Host interface {
	// TLS returns the configuration of TLS with the certificate and key of two files, as the server's own ServeTLS has it. The caller
	// sets NextProtos.
	TLS(certFile, keyFile string) (*tls.Config, error)

	// Settings returns the part of the server's configuration that the carrier has to enforce. It must not be changed.
	Settings() *Settings

	// Listening is called once for each socket. Connected is given its result.
	Listening(l net.Listener) net.Listener

	// Advertise sets the field Alt-Svc of responses that clients get over TLS on TCP (RFC 7838 §3), unless handlers set their own; ""
	// is none.
	Advertise(altSvc string)

	// Connected is called for each new connection. Its result is the ConnValue of the connection's requests.
	Connected(l net.Listener, nc net.Conn) any

	// NewExchange returns an exchange of this version of HTTP, on a stream that carries one after another.
	NewExchange(on Stream, major uint8) Exchange

	// Join says that there is one more connection for which workers may be woken, and Leave that it has ended.
	Join()
	Leave()

	// Wake has a worker do j's work. Workers are goroutines whose stacks have grown to the size that handlers need.
	Wake(j Job)

	// Away is called by a worker for whose work nothing waits, or only the Shutdown of the carrier. Back ends that, before Work returns.
	Away()
	Back()

	// Now returns the time of the server's clock, in nanoseconds.
	Now() int64

	// Refused counts a request, or a connection without one, that the carrier itself has refused.
	Refused()
}

// Job is what a worker does. A worker that calls a handler may end in the middle of Work, by runtime.Goexit.
type Job interface {
	Work()

	// Now returns the time of Host.Now.
	Now() int64
}

// Settings are the settings of a server that its carriers enforce. A negative limit or timeout means none.
type Settings struct {
	MaxHeadBytes, MaxHeadFields       int
	MaxConns                          int
	MaxRequests                       int // of a connection, 0 for no limit
	MinReadRate, MinWriteRate         int // bytes per second
	RateGrace                         time.Duration
	HeadTimeout, IdleTimeout          time.Duration
	HandshakeTimeout                  time.Duration
	DisableKeepAlive, ExtendedConnect bool
	Log                               *slog.Logger
}

// Exchange is a request and its response. It must not be copied.
type Exchange interface {
	// Answer calls the handler with r. It returns when the response has been given to the stream, or the handler has taken
	// the stream over. If the handler calls runtime.Goexit, Answer does not return.
	Answer(r *Request) Outcome

	// Trailer gives the trailer section of the request. It must be called before the end of the content is returned.
	Trailer(fields []http2.Field)
}

// Request is a request whose head has arrived. The exchange keeps none of it.
type Request struct {
	Head      *http2.Head // checked; if TooLarge is set, only what is known of it
	TooLarge  bool        // the head is larger than the settings allow: the request is refused
	End       bool        // there is no content
	ConnValue any         // what Connected has returned
}

// Outcome says how an exchange has ended.
type Outcome uint8

// The outcomes.
const (
	Answered  Outcome = iota // the response is complete, or the stream was aborted; the exchange may be used again
	TakenOver                // the stream is the handler's until Finish; the exchange must not be used again
	Failed                   // the handler has panicked, and the stream was aborted; likewise
)
