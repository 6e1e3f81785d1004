package tcp

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// dialer opens TCP connections. It resolves the host once: the address of the first successful connection is used from
// then on.
type dialer struct {
	net.Dialer
	address  string
	resolved atomic.Pointer[string]
}

func newDialer(address string, timeout time.Duration) *dialer {
	return &dialer{address: address, Dialer: net.Dialer{Timeout: timeout, KeepAlive: -1}}
}

// dial opens a connection, and tells note how long its parts have taken.
func (d *dialer) dial(ctx context.Context, note func(account.Part, time.Duration)) (net.Conn, error) {
	start := time.Now()
	if known := d.resolved.Load(); known != nil {
		nc, err := d.DialContext(ctx, "tcp", *known)
		if err == nil {
			note(account.Connect, time.Since(start))
		}
		return nc, err
	}
	var asked, answered time.Time
	nc, err := d.DialContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { asked = time.Now() },
		DNSDone:  func(httptrace.DNSDoneInfo) { answered = time.Now() },
	}), "tcp", d.address)
	if err != nil {
		return nil, err
	}
	if !answered.IsZero() {
		note(account.Lookup, answered.Sub(asked))
		start = answered
	}
	note(account.Connect, time.Since(start))
	known := nc.RemoteAddr().String()
	d.resolved.Store(&known)
	return nc, nil
}
