package client

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/clientconn"
)

// Config says how a Client behaves.
type Config struct {
	clientconn.Config
	TLS              *tls.Config // nil means the defaults
	Listen           func(ctx context.Context, network, addr string) (net.PacketConn, error)
	Lookup           func(ctx context.Context, name string) ([]ServiceBinding, error) // nil: nobody can be asked
	HandshakeTimeout time.Duration                                                    // 0 is no limit
	Early            bool                                                             // requests may be sent before the handshake is complete
}

// ServiceBinding holds the useful parts of a record of type HTTPS (RFC 9460).
type ServiceBinding struct {
	Priority uint16
	Target   string
	ALPN     []string
	Port     uint16
	TTL      time.Duration
}
