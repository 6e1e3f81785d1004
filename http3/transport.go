package http3

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/client"
	"github.com/shockwave-go/shockwave/http3/internal/clientconn"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/nethttp"
)

// Transport speaks HTTP/3 as a client. By itself it is an http.RoundTripper that speaks nothing else: it sends requests for https
// URLs, does not fall back to HTTP/2, and does not look for Alt-Svc. As the field HTTP3 of a nethttp.Transport or a client.Config it
// lets that one speak HTTP/3 to servers that offer it; then each has connections of its own, and fields that are not set here have the
// values of that one.
//
// There is one connection for each host and port, which concurrent requests share; a request waits while the server allows no more of
// them. Fields and methods mean what those of nethttp.Transport with the same names mean; differences are stated here. The fields are
// read when a request or a connection begins, and must not be changed after the first use. A Transport must not be copied after its
// first use. All methods may be called concurrently. The zero Transport is ready to use.
type Transport struct {
	// TLSClientConfig is used for all connections; it is not changed. Its NextProtos are replaced by h3.
	TLSClientConfig *tls.Config
	// ListenPacket, if set, opens the socket of a connection, as net.ListenConfig.ListenPacket does; network is udp4 or udp6. The
	// Transport closes it.
	ListenPacket func(ctx context.Context, network, addr string) (net.PacketConn, error)
	// LookupHTTPS, if set, asks the domain name system for records of type HTTPS (RFC 9460), so that the first request to a server
	// can use HTTP/3 already. name is what to ask for: the host, or _port._https.host for other ports than 443. Its result is kept
	// for as long as it says. An error means that there are none.
	LookupHTTPS func(ctx context.Context, name string) ([]ServiceBinding, error)

	// TLSHandshakeTimeout bounds how long it takes to open a connection: the lookup of the name, and the handshake, which is that of TLS and
	// of QUIC in one. Default 10 s, a negative value is no limit.
	TLSHandshakeTimeout time.Duration
	// SendPingTimeout is how long a server may send nothing at all while it has requests before it is asked whether it is there; default 5
	// s, a negative value is never, less than 200 ms counts as that. PingTimeout is how long the answer may take; default 15 s. A server
	// that sends nothing then is gone: the connection ends, and its requests fail. Nothing is sent on a connection without requests.
	SendPingTimeout time.Duration
	PingTimeout     time.Duration
	// EarlyData lets requests with the methods GET, HEAD and OPTIONS be sent before the handshake is complete, to servers of which
	// there is a session (0-RTT, RFC 9114 §10.9). Whoever records such a request can send it again: a server may refuse it with 425
	// (Too Early), and the request is sent again after the handshake (RFC 8470 §5.2).
	EarlyData bool
	// IdleConnTimeout is how long a connection without requests is kept; default 90 s, a negative value is for ever.
	IdleConnTimeout time.Duration
	// ResponseHeaderTimeout and ExpectContinueTimeout only count for the Transport by itself.
	ResponseHeaderTimeout time.Duration
	ExpectContinueTimeout time.Duration
	// DisableCompression stops the Transport from asking for gzip on its own. It only counts for the Transport by itself.
	DisableCompression bool

	// MaxResponseHeaderBytes bounds the size of a response's head, counted as in RFC 9114 §4.2.2, and that of its trailer section. Zero
	// means 1 MiB; more than 16 MiB is not allowed for.
	MaxResponseHeaderBytes int64
	// Budget is how much work without progress a server may cause before its connection ends with H3_EXCESSIVE_LOAD, in units; zero means
	// 900, a negative value is no limit.
	Budget int32

	once sync.Once
	own  *nethttp.Transport // sends the requests of RoundTrip
}

// ServiceBinding is a record of type HTTPS (RFC 9460 §9).
type ServiceBinding struct {
	Priority uint16        // 0 is an alias, which is not followed
	Target   string        // "." is the name that was asked for
	ALPN     []string      // the protocols, "h3" among them
	Port     uint16        // 0 is that of the URL
	TTL      time.Duration // how long the record may be kept
}

// The defaults of Transport's limits.
const (
	defaultHandshakeTimeout = 10 * time.Second
	defaultIdleConnTimeout  = 90 * time.Second
	defaultSendPing         = 5 * time.Second
	defaultPingTimeout      = 15 * time.Second
	defaultResponseHead     = 1 << 20
	maxResponseFields       = 2000
)

// RoundTrip implements http.RoundTripper. A request that the server has not processed is sent again on another connection, if its body
// can be sent again; so is a request with a safe method or an Idempotency-Key whose connection, used before, has ended before a
// response began.
//
// The error of a server that breaks a rule implements shockwave.ProtocolError and says which rule. If the server has ended a stream or
// the connection, the error is a *StreamError or a *ClosedError, which also implement it and blame the side that the code accuses.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL != nil && req.URL.Scheme != "https" {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("http3: unsupported protocol scheme %q: HTTP/3 needs https", req.URL.Scheme)
	}
	return t.transport().RoundTrip(req)
}

// transport returns the RoundTripper that sends the requests of RoundTrip.
func (t *Transport) transport() *nethttp.Transport {
	t.once.Do(func() {
		t.own = &nethttp.Transport{
			HTTP3: t, Protocols: new(http.Protocols),
			DisableCompression:     t.DisableCompression,
			IdleConnTimeout:        max(cmp.Or(t.IdleConnTimeout, defaultIdleConnTimeout), 0),
			ResponseHeaderTimeout:  t.ResponseHeaderTimeout,
			ExpectContinueTimeout:  t.ExpectContinueTimeout,
			MaxResponseHeaderBytes: t.MaxResponseHeaderBytes,
		}
	})
	return t.own
}

// CloseIdleConnections closes the connections that have no requests.
func (t *Transport) CloseIdleConnections() { t.transport().CloseIdleConnections() }

// Close closes all connections; requests in progress and later ones fail. It returns when the sockets are closed.
func (t *Transport) Close() error { return t.transport().Close() }

func init() { facelink.OfferClient((*Transport).newClient) }

// newClient returns a client without connections that has the settings of t, and those of cfg where t has none.
func (t *Transport) newClient(cfg carrier.ClientConfig) carrier.Client {
	c := client.Config{
		TLS: t.TLSClientConfig, Listen: t.ListenPacket, Early: t.EarlyData,
		HandshakeTimeout: max(cmp.Or(t.TLSHandshakeTimeout, defaultHandshakeTimeout), 0),
	}
	c.Config = clientconn.Config{
		IdleTimeout:  cfg.IdleTimeout,
		PingInterval: cmp.Or(t.SendPingTimeout, defaultSendPing),
		PingTimeout:  cmp.Or(max(t.PingTimeout, 0), defaultPingTimeout),
		HeadBytes:    min(cmp.Or(max(int(t.MaxResponseHeaderBytes), 0), cfg.HeadBytes, defaultResponseHead), 16<<20),
		HeadFields:   cmp.Or(cfg.HeadFields, maxResponseFields),
		Budget:       cmp.Or(t.Budget, cfg.Budget, cost.Default),
		ResetBy:      resetByServer,
		ClosedBy:     closedByServer,
	}
	if c.TLS == nil {
		c.TLS = cfg.TLS
	}
	if c.Listen == nil {
		c.Listen = new(net.ListenConfig).ListenPacket
	}
	if c.PingInterval > 0 {
		c.PingInterval = max(c.PingInterval, clientconn.ShortestSilence)
	}
	if t.IdleConnTimeout != 0 {
		c.IdleTimeout = max(t.IdleConnTimeout, 0)
	}
	if t.LookupHTTPS != nil {
		c.Lookup = t.lookup
	}
	return client.New(c)
}

// lookup calls LookupHTTPS.
func (t *Transport) lookup(ctx context.Context, name string) ([]client.ServiceBinding, error) {
	found, err := t.LookupHTTPS(ctx, name)
	if err != nil {
		return nil, err
	}
	all := make([]client.ServiceBinding, 0, len(found))
	for _, b := range found {
		all = append(all, client.ServiceBinding(b))
	}
	return all, nil
}

// resetByServer returns the error of a stream that the server has reset with a code, and closedByServer that of a connection.
func resetByServer(code h3frame.Code) error { return &StreamError{Code: uint64(code), ByServer: true} }
func closedByServer(code h3frame.Code, reason string) error {
	return &ClosedError{Code: uint64(code), Reason: reason}
}
