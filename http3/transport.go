package http3

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Transport is an http.RoundTripper that speaks HTTP/3, and nothing else: it does not fall back to HTTP/2, and it does not look for
// Alt-Svc. It sends requests for https URLs. There is one connection for each host and port, which concurrent requests share; a request
// waits while the server allows no more of them.
//
// Fields and methods mean what those of nethttp.Transport with the same names mean; differences are stated here. Responses are never
// decompressed. The fields are read when a request or a connection begins, and must not be changed after the first use. A Transport
// must not be copied after its first use. All methods may be called concurrently. The zero Transport is ready to use.
type Transport struct {
	// TLSClientConfig is used for all connections; it is not changed. Its NextProtos are replaced by h3.
	TLSClientConfig *tls.Config
	// ListenPacket, if set, opens the socket of a connection, as net.ListenConfig.ListenPacket does; network is udp4 or udp6. The
	// Transport closes it.
	ListenPacket func(ctx context.Context, network, addr string) (net.PacketConn, error)

	// HandshakeTimeout bounds how long it takes to open a connection: the lookup of the name and the handshake. Default 10 s, a negative
	// value is no limit.
	HandshakeTimeout time.Duration
	// IdleConnTimeout is how long a connection without requests is kept; default 90 s, a negative value is for ever.
	IdleConnTimeout time.Duration
	// SendPingTimeout is how long a server may send nothing at all while it has requests before it is asked whether it is there; default 5
	// s, a negative value is never, less than 200 ms counts as that. PingTimeout is how long the answer may take; default 15 s. A server
	// that sends nothing then is gone: the connection ends, and its requests fail. Nothing is sent on a connection without requests.
	SendPingTimeout time.Duration
	PingTimeout     time.Duration
	// ResponseHeaderTimeout bounds the wait for a response's head, from the time at which the request has been sent. Zero means no limit.
	ResponseHeaderTimeout time.Duration
	// ExpectContinueTimeout is how long a request with "Expect: 100-continue" waits for the server to ask for its body. Zero means that
	// the body is sent at once.
	ExpectContinueTimeout time.Duration

	// MaxResponseHeaderBytes bounds the size of a response's head, counted as in RFC 9114 §4.2.2, and that of its trailer section. Zero
	// means 1 MiB; more than 16 MiB is not allowed for.
	MaxResponseHeaderBytes int64
	// Budget is how much work without progress a server may cause before its connection ends with H3_EXCESSIVE_LOAD, in units; zero means
	// 900, a negative value is no limit.
	Budget int32

	pool clientPool
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

// headBytes returns how many bytes a response's head may have.
func (t *Transport) headBytes() int {
	if n := t.MaxResponseHeaderBytes; n > 0 {
		return int(min(n, 16<<20))
	}
	return defaultResponseHead
}

// idleTimeout returns how long a connection is kept without requests, 0 for ever.
func (t *Transport) idleTimeout() time.Duration {
	return max(cmp.Or(t.IdleConnTimeout, defaultIdleConnTimeout), 0)
}

// budget returns how much work without progress a server may cause; a negative value is no limit.
func (t *Transport) budget() int32 { return cmp.Or(t.Budget, defaultBudget) }

// CloseIdleConnections closes the connections that have no requests.
func (t *Transport) CloseIdleConnections() {
	var all sync.WaitGroup
	for _, k := range t.pool.list() {
		all.Go(k.closeIfIdle)
	}
	all.Wait()
}

// Close closes all connections; requests in progress and later ones fail. It returns when the sockets are closed.
func (t *Transport) Close() error {
	t.pool.close()
	for _, k := range t.pool.list() {
		k.end(errTransportClosed)
	}
	t.pool.running.Wait()
	return nil
}
