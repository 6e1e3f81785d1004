package load

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
)

// transport returns the configuration of connections over TCP and TLS.
func (cfg *Config) transport() tcp.Config {
	return tcp.Config{
		Address: cfg.address(), TLS: cfg.clientTLS(), Timeout: cfg.Timeout, Idle: cfg.Rate > 0, Dial: cfg.dial,
	}
}

// address returns the address to dial.
func (cfg *Config) address() string {
	port := cfg.URL.Port()
	switch {
	case port != "":
	case isSecure(cfg.URL):
		port = "https"
	default:
		port = "http"
	}
	return net.JoinHostPort(cfg.URL.Hostname(), port)
}

// clientTLS returns the TLS configuration, or nil without TLS. Every connection makes a full handshake, unless cfg.TLS
// has a session cache.
func (cfg *Config) clientTLS() *tls.Config {
	if !isSecure(cfg.URL) {
		return nil
	}
	t := &tls.Config{}
	if cfg.TLS != nil {
		t = cfg.TLS.Clone()
	}
	if t.ServerName == "" {
		t.ServerName = cfg.URL.Hostname()
	}
	switch {
	case IsStream(cfg.URL):
		t.NextProtos = nil
	case cfg.HTTP3:
		t.NextProtos = []string{"h3"}
	case cfg.HTTP2:
		t.NextProtos = []string{"h2"}
	default:
		t.NextProtos = []string{"http/1.1"}
	}
	return t
}
