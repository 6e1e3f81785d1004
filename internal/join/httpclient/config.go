package httpclient

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// Config is the configuration of a Client. A zero number or duration means no limit.
type Config struct {
	// Open opens a connection for key. It must return when ctx is done. ctx has the values of the request that waited
	// first, but not its cancellation: it is done when the Client is closed.
	Open func(ctx context.Context, key Key) (Opened, error)

	MaxConnsPerHost int           // to one host; further requests wait
	MaxConns        int           // in all; a host that has a connection of HTTP/2 gets further ones without regard to it
	MaxIdlePerHost  int           // of HTTP/1.1, to one host
	MaxIdle         int           // of HTTP/1.1, in all; beyond it the connection that has been idle longest is closed
	IdleTimeout     time.Duration // after which an idle connection is closed
	MaxLifetime     time.Duration // after which a connection takes no more requests
	WaitTimeout     time.Duration // for a connection, including the time to open one
	KeepNone        bool          // no connection is reused

	HTTP1   h1client.Config
	HTTP2   h2client.Config      // IdleTimeout is set from the one above
	HTTP3   any                  // an *http3.Transport; nil: HTTP/3 is not spoken
	Carrier carrier.ClientConfig // for HTTP3
	Strict  bool                 // requests wait for room on a connection of HTTP/2 instead of opening another one
	Engine  netconn.Config       // its timeouts and rates are ignored
}

// Opened is a connection that Open has opened. The Client owns Conn from then on.
type Opened struct {
	Conn     net.Conn
	Buffered []byte               // bytes that have been read from Conn already
	TLS      *tls.ConnectionState // nil without TLS
	HTTP2    bool                 // the server has chosen HTTP/2, or its support was known before
	ToProxy  bool                 // the connection ends at a proxy, to which targets are sent in absolute-form
}
