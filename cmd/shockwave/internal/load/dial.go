package load

import (
	"context"
	"net"
	"sync/atomic"
)

// dialler opens transports. It looks the host up once: what answered first is dialled from then on.
type dialler struct {
	net.Dialer
	address  string
	resolved atomic.Pointer[string]
}

func (d *dialler) dial(ctx context.Context) (net.Conn, error) {
	if known := d.resolved.Load(); known != nil {
		return d.DialContext(ctx, "tcp", *known)
	}
	nc, err := d.DialContext(ctx, "tcp", d.address)
	if err == nil {
		known := nc.RemoteAddr().String()
		d.resolved.Store(&known)
	}
	return nc, err
}
