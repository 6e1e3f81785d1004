package nethttptest

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// host is the name under which the Client of every server reaches it.
const host = "example.com"

// MemoryListener is a listener in memory: Accept returns the other end of a connection that DialContext returns.
// Connections behave like TCP connections with a buffer of 64 KiB in each direction. Their addresses are from the
// documentation blocks of RFC 5737, which no machine has.
//
// All methods may be called concurrently. To be used in a testing/synctest bubble, a MemoryListener must have been
// made there.
type MemoryListener struct {
	l       *wiretest.Listener
	clients atomic.Int64
}

// NewMemoryListener returns a listener in memory, for Server.Listener or for any other server.
func NewMemoryListener() *MemoryListener {
	return &MemoryListener{l: wiretest.Listen(wiretest.Config{}, wiretest.Config{})}
}

var memoryAddr = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 80}

// Accept waits for a call of DialContext and returns the server's end of its connection.
func (l *MemoryListener) Accept() (net.Conn, error) { return l.l.Accept() }

// Close makes Accept and DialContext fail. It does not close connections.
func (l *MemoryListener) Close() error { return l.l.Close() }

// Addr returns 192.0.2.2:80.
func (l *MemoryListener) Addr() net.Addr { return memoryAddr }

// firstPort is the port number of the first client.
const firstPort = 1024

// DialContext connects to the listener and returns when Accept has returned the other end. network is not used. addr
// must be the listener's address, or example.com or a subdomain of it with any port; DialContext fails for other
// addresses, so that a test does not mistake this server for another one. It has the signature of
// http.Transport.DialContext and websocket.Config.NetDial.
func (l *MemoryListener) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if name, _, err := net.SplitHostPort(addr); err != nil || !isExample(name) && addr != memoryAddr.String() {
		return nil, fmt.Errorf("nethttptest: %s is not the server in memory, which is %s", addr, host)
	}
	client := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: firstPort + int(l.clients.Add(1)-1)%(1<<16-firstPort)}
	c, err := l.l.DialContext(ctx, wiretest.Config{Addr: memoryAddr}, wiretest.Config{Addr: client})
	if err != nil {
		return nil, err // not c, which would be a nil *wiretest.Conn in an interface
	}
	return c, nil
}

// isExample reports whether name is example.com or a subdomain of it.
func isExample(name string) bool { return name == host || strings.HasSuffix(name, "."+host) }
