package httpclient

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// Key says what connections must have in common so that one can be used instead of another.
type Key struct {
	Secure  bool   // over TLS
	Host    string // with its port, unless it is the scheme's
	Via     string // the proxy's URL, as Config.Open understands it; empty for none
	Version Version
}

// Version says which versions of HTTP may be spoken.
type Version uint8

// The versions that a Key may allow.
const (
	Any   Version = iota // HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1; HTTP/3 if it offers that
	HTTP1                // HTTP/1.1
	HTTP2                // HTTP/2, without TLS by prior knowledge (RFC 9113 §3.3)
	HTTP3                // HTTP/3, by prior knowledge (RFC 9114 §3.1)
)

// h2 returns k as the key of the HTTP/2 pool.
func (k Key) h2() h2client.Key {
	return h2client.Key{Secure: k.Secure, Host: k.Host, Via: k.Via, Only: k.Version == HTTP2}
}

// origin returns the host and the port that k's server has without any alternative.
func (k *Key) origin() (o carrier.Origin, ok bool) {
	host, port, err := net.SplitHostPort(k.Host)
	if err != nil {
		host, port, err = net.SplitHostPort(k.Host + ":443")
	}
	return carrier.Origin{Host: host, Addr: net.JoinHostPort(host, port)}, err == nil
}
