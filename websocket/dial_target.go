package websocket

import (
	"crypto/tls"
	"fmt"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// ProxyError means that a proxy refused to open a tunnel to the server, or sent an invalid response. Status is an HTTP
// proxy's response to CONNECT, such as http.StatusProxyAuthRequired. It is 0 without such a response, and for SOCKS5
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
		t.Proxy, err = dial.ParseProxy(u.Scheme, u.Hostname(), u.Port(), u.User)
	}
	if err != nil {
		return nil, fmt.Errorf("websocket: proxy: %w", err)
	}
	if t.Proxy != nil {
		t.Proxy.TLS = s.TLSConfig
	}
	return t, nil
}
