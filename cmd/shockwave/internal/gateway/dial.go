package gateway

import (
	"context"
	"crypto/tls"
	"net"
)

// dial connects to a service, as cfg says, until ctx is done.
func dial(ctx context.Context, cfg *Config, r *Route) (net.Conn, error) {
	if d := cfg.Dial; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", r.Host)
	if err != nil {
		return nil, err
	}
	if cfg.Stall > 0 {
		nc = &stallConn{nc.(*net.TCPConn), cfg.Stall}
	}
	if !r.TLS {
		return nc, nil
	}
	sec := &tls.Config{}
	if cfg.TLS != nil {
		sec = cfg.TLS.Clone()
	}
	if sec.ServerName == "" {
		sec.ServerName, _, _ = net.SplitHostPort(r.Host)
	}
	secure := tls.Client(nc, sec)
	if err := secure.HandshakeContext(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	return secure, nil
}

// reset closes a service's connection with a reset, so that the service cannot mistake it for an orderly end.
func reset(nc net.Conn) {
	below := nc
	if secure, ok := nc.(*tls.Conn); ok {
		below = secure.NetConn()
	}
	if t, ok := below.(interface{ SetLinger(sec int) error }); ok {
		_ = t.SetLinger(0)
	}
	below.Close()
}
