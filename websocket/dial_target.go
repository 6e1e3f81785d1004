package websocket

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// ProxyError means that a proxy refused to open a tunnel to the server, or gave an invalid answer. Status is an HTTP
// proxy's answer to CONNECT, such as http.StatusProxyAuthRequired. It is 0 without such an answer, and for SOCKS5
// proxies, whose reply is in Msg.
type ProxyError struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *ProxyError) Error() string { return "websocket: proxy: " + e.Msg }

// dialer connects unless Config.NetDial is set.
var dialer dial.Dialer

// target returns how to connect to an endpoint.
func (s *settings) target(to *endpoint, r *http.Request) (*dial.Target, error) {
	t := &dial.Target{Host: to.host, Port: to.port, Net: s.NetDial, Secure: netconn.TLSClient}
	if t.Net == nil {
		t.Net = dialer.DialContext
	}
	if to.secure {
		if t.TLS = s.TLSConfig.Clone(); t.TLS == nil {
			t.TLS = &tls.Config{}
		}
		t.TLS.NextProtos = []string{"http/1.1"}
	}
	choose := s.Proxy
	if choose == nil {
		choose = http.ProxyFromEnvironment
	}
	u, err := choose(r)
	if err == nil && u != nil {
		t.Proxy, err = proxyOf(u, s.TLSConfig)
	}
	if err != nil {
		return nil, fmt.Errorf("websocket: proxy: %w", err)
	}
	return t, nil
}

// proxyOf returns the proxy with the URL u.
func proxyOf(u *url.URL, cfg *tls.Config) (p *dial.Proxy, err error) {
	p = &dial.Proxy{Port: u.Port(), TLS: cfg}
	normal := "80"
	switch u.Scheme {
	case "http":
	case "https":
		p.Scheme, normal = dial.HTTPS, "443"
	case "socks5", "socks5h":
		p.Scheme, normal = dial.SOCKS5, "1080"
	default:
		return nil, fmt.Errorf("%q is not http, https or socks5", u.Redacted())
	}
	if p.Port == "" {
		p.Port = normal
	}
	if u.User != nil {
		password, _ := u.User.Password()
		p.Login = &dial.Login{User: u.User.Username(), Password: password}
	}
	p.Host, err = dial.ASCII(u.Hostname())
	return p, err
}
