package nethttptest

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/wiretest"
)

// host is the name under which every server's Client reaches it.
const host = "example.com"

// MemoryListener listens in memory: what DialContext returns, Accept has the other end of. Connections behave as TCP's
// do, with 64 KiB of buffer in each direction. Its addresses are those of RFC 5737, which no machine has.
//
// All methods may be called concurrently. Inside a testing/synctest bubble it must have been made there.
type MemoryListener struct {
	l       *wiretest.Listener
	clients atomic.Int64
}

// NewMemoryListener returns a listener in memory: for Server.Listener, or for any other server.
func NewMemoryListener() *MemoryListener {
	return &MemoryListener{l: wiretest.Listen(wiretest.Config{}, wiretest.Config{})}
}

var memoryAddr = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 80}

// Accept waits for a DialContext.
func (l *MemoryListener) Accept() (net.Conn, error) { return l.l.Accept() }

// Close makes Accept and DialContext fail. Connections stay as they are.
func (l *MemoryListener) Close() error { return l.l.Close() }

// Addr returns 192.0.2.2:80.
func (l *MemoryListener) Addr() net.Addr { return memoryAddr }

// firstPort is the port of the first client.
const firstPort = 1024

// DialContext connects to the listener, whatever network says, and returns when Accept has the other end. addr is the
// listener's address, or example.com or a subdomain of it with any port: it fails for another one, so that a test
// does not take what is elsewhere for this server. It has the form of http.Transport.DialContext and
// websocket.Config.NetDial.
func (l *MemoryListener) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if name, _, err := net.SplitHostPort(addr); err != nil || !isExample(name) && addr != memoryAddr.String() {
		return nil, fmt.Errorf("nethttptest: %s is not the server in memory, which is %s", addr, host)
	}
	client := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: firstPort + int(l.clients.Add(1)-1)%(1<<16-firstPort)}
	c, err := l.l.DialContext(ctx, wiretest.Config{Addr: memoryAddr}, wiretest.Config{Addr: client})
	if err != nil {
		return nil, err // no *wiretest.Conn in an interface
	}
	return c, nil
}

// isExample reports whether name is example.com or below it.
func isExample(name string) bool { return name == host || strings.HasSuffix(name, "."+host) }
