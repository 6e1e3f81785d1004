package load

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// dialler opens TCP connections. It resolves the host once: the address of the first successful connection is used from
// then on.
type dialler struct {
	net.Dialer
	address  string
	parts    *parts
	resolved atomic.Pointer[string]
}

func (d *dialler) dial(ctx context.Context) (net.Conn, error) {
	start := time.Now()
	if known := d.resolved.Load(); known != nil {
		nc, err := d.DialContext(ctx, "tcp", *known)
		if err == nil {
			d.parts.note(connect, time.Since(start))
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
		d.parts.note(lookup, answered.Sub(asked))
		start = answered
	}
	d.parts.note(connect, time.Since(start))
	known := nc.RemoteAddr().String()
	d.resolved.Store(&known)
	return nc, nil
}
