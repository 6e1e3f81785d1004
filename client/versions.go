package client

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// versions are the versions of HTTP that a Client speaks.
type versions struct {
	plain, secure choice // for http and for https URLs
	offers        bool   // HTTP/3 is spoken to servers that offer it
}

// choice is a version of HTTP, or err if there is none.
type choice struct {
	version httpclient.Version
	err     error
}

var (
	errNoPlain  = errors.New("client: Config.Protocols has no version for http URLs (HTTP1 or UnencryptedHTTP2)")
	errNoSecure = errors.New("client: Config.Protocols has no version for https URLs (HTTP1 or HTTP2), and Config.HTTP3 is not set")
)

// versions returns the versions of the configuration.
func (cfg *Config) versions() (v versions) {
	p := cfg.Protocols
	if p == nil {
		v.plain.version = httpclient.Version(cfg.Protocol)
		v.secure = v.plain
		v.offers = cfg.Protocol == Any
		return v
	}
	switch {
	case p.HTTP1():
		v.plain.version = httpclient.HTTP1
	case p.UnencryptedHTTP2():
		v.plain.version = httpclient.HTTP2
	default:
		v.plain.err = errNoPlain
	}
	switch {
	case p.HTTP1() && p.HTTP2():
		v.secure.version = httpclient.Any
	case p.HTTP1():
		v.secure.version = httpclient.HTTP1
	case p.HTTP2():
		v.secure.version = httpclient.HTTP2
	case cfg.HTTP3 != nil:
		v.secure.version = httpclient.HTTP3
	default:
		v.secure.err = errNoSecure
	}
	v.offers = true
	return v
}

// of returns the versions for https URLs, if secure is true, or for http URLs.
func (v *versions) of(secure bool) (httpclient.Version, error) {
	if secure {
		return v.secure.version, v.secure.err
	}
	return v.plain.version, v.plain.err
}

// names returns the names of the versions for https in ALPN, in order of preference (RFC 7301 §3.1).
func (v *versions) names() []string {
	switch v.secure.version {
	case httpclient.HTTP1:
		return []string{"http/1.1"}
	case httpclient.HTTP2:
		return []string{"h2"}
	}
	return []string{"h2", "http/1.1"}
}
