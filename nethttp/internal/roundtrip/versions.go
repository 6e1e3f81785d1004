package roundtrip

import (
	"crypto/tls"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// enabledVersions are the versions that a Transport speaks. http1 and http2 are for https; h2c replaces HTTP/1.1 for
// http. http3 is for https, if no other version is.
type enabledVersions struct{ http1, http2, http3, h2c bool }

// protocols returns the versions to speak, by the rules of http.Transport: those in Protocols. If it is nil, they are
// HTTP/1.1, and HTTP/2 unless a field is set whose value may not be prepared for HTTP/2.
func (t *Settings) protocols() (s enabledVersions) {
	switch p := t.Protocols; {
	case p != nil:
		s = enabledVersions{http1: p.HTTP1(), http2: p.HTTP2(), h2c: p.UnencryptedHTTP2() && !p.HTTP1()}
		s.http3 = t.HTTP3 != nil && !s.http1 && !s.http2
	case t.TLSNextProto != nil:
		s.http1 = true
	case t.ForceAttemptHTTP2:
		s = enabledVersions{http1: true, http2: true}
	default:
		custom := t.TLSClientConfig != nil || t.Dial != nil || t.DialContext != nil || t.DialTLS != nil || t.DialTLSContext != nil
		s = enabledVersions{http1: true, http2: !custom}
	}
	if t.TLSNextProto[h2] != nil || http2Disabled() {
		s.http2 = false
	}
	return s
}

// http2Disabled reports whether GODEBUG contains http2client=0.
func http2Disabled() bool {
	off := false
	for setting := range strings.SplitSeq(os.Getenv("GODEBUG"), ",") {
		if name, value, _ := strings.Cut(setting, "="); name == "http2client" {
			off = value == "0"
		}
	}
	return off
}

// version returns the versions in which a request may be sent.
func (t *connector) version(req *http.Request) httpclient.Version {
	switch s := &t.versions; {
	case req.URL.Scheme == "http":
		if s.h2c {
			return httpclient.HTTP2
		}
	case s.http3:
		return httpclient.HTTP3
	case !s.http2 || wantsWebSocket(req.Header):
	case s.http1:
		return httpclient.Any
	default:
		return httpclient.HTTP2
	}
	return httpclient.HTTP1
}

// wantsWebSocket reports whether a request asks for an upgrade to WebSocket, for which it needs HTTP/1.1.
func wantsWebSocket(h http.Header) bool {
	return hasToken(h["Connection"], "upgrade") && strings.EqualFold(h.Get("Upgrade"), "websocket")
}

// tlsConfig returns the TLS configuration for connections to a server.
func (t opener) tlsConfig(version httpclient.Version) *tls.Config {
	cfg := t.TLSClientConfig.Clone()
	if cfg == nil {
		cfg = new(tls.Config)
	}
	switch {
	case version == httpclient.HTTP2:
		cfg.NextProtos = []string{h2}
	case version == httpclient.Any:
		// The list is in order of preference (RFC 7301 §3.1).
		others := slices.DeleteFunc(slices.Clone(cfg.NextProtos), func(p string) bool { return p == h2 || p == http11 })
		cfg.NextProtos = append(append([]string{h2}, others...), http11)
	case t.versions.http2:
		cfg.NextProtos = nil
	}
	return cfg
}

// http11 is the name of HTTP/1.1 in ALPN.
const http11 = "http/1.1"

// h2 is the name of HTTP/2 in ALPN (RFC 9113 §3.1).
const h2 = "h2"
