package roundtrip

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// checkRequest returns an error for a request that no RoundTripper can send. The texts are http.Transport's.
func checkRequest(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("http: nil Request.URL")
	case req.Header == nil:
		return errors.New("http: nil Request.Header")
	case !isHTTP(req):
		return nil // another RoundTripper may be registered for the scheme
	}
	if err := checkFields("header", req.Header); err != nil {
		return err
	}
	return checkFields("trailer", req.Trailer)
}

// isHTTP reports whether the scheme of a request is http or https.
func isHTTP(req *http.Request) bool { return req.URL.Scheme == "http" || req.URL.Scheme == "https" }

// checkHTTP returns an error for a request that cannot be sent over HTTP.
func checkHTTP(req *http.Request) error {
	switch {
	case !isHTTP(req):
		return fmt.Errorf("unsupported protocol scheme %q", req.URL.Scheme)
	case req.Method != "" && !http1.ValidToken([]byte(req.Method)):
		return fmt.Errorf("net/http: invalid method %q", req.Method)
	case req.URL.Host == "":
		return errors.New("http: no Host in request URL")
	}
	for name := range req.Trailer {
		switch headermap.CanonicalKey(name) {
		case "Transfer-Encoding", "Trailer", "Content-Length":
			return fmt.Errorf("invalid Trailer key %q", name)
		}
	}
	if n := req.ContentLength; n > 0 && (req.Body == nil || req.Body == http.NoBody) {
		return fmt.Errorf("http: Request.ContentLength=%d with nil Body", n)
	}
	return nil
}

// checkFor sets the path and host of the call. It returns an error if the request cannot be sent in the version of
// key, or to its proxy.
func (k *call) checkFor(key *httpclient.Key) error {
	req := k.req
	k.path, k.host = pathOf(req), authorityOf(req)
	if !http1.ValidHost([]byte(k.host)) {
		switch {
		case key.Version == httpclient.HTTP1 && key.Host != "":
			k.host = "" // as http.Transport does
		case key.Host == "":
			return errors.New("http: invalid Host header")
		default:
			return fmt.Errorf("nethttp: invalid Host %q", k.host)
		}
	}
	for i := range len(k.path) {
		if c := k.path[i]; c <= ' ' || c == 0x7f {
			return errors.New("net/http: can't write control character in Request.URL")
		}
	}
	if key.Version == httpclient.HTTP1 {
		return nil
	}
	if req.Method != http.MethodConnect && k.path != "*" && (k.path == "" || k.path[0] != '/') {
		return fmt.Errorf("nethttp: invalid request target %q", k.path)
	}
	if key.Version == httpclient.HTTP2 || key.Version == httpclient.HTTP3 {
		return checkConnection(req.Header)
	}
	return nil
}

func checkFields(what string, h http.Header) error {
	for name, values := range h {
		if !headermap.IsToken(name) {
			return fmt.Errorf("net/http: invalid %s field name %q", what, name)
		}
		for _, v := range values {
			if !isValue(v) {
				// Leave the value out: it may be a secret.
				return fmt.Errorf("net/http: invalid %s field value for %q", what, name)
			}
		}
	}
	return nil
}

// checkConnection refuses fields that ask for another protocol than HTTP/2, with the texts of net/http (RFC 9113
// §8.2.2).
func checkConnection(h http.Header) error {
	if v := h.Get("Upgrade"); v != "" && v != "chunked" {
		return fmt.Errorf("http2: invalid Upgrade request header: %q", h["Upgrade"])
	}
	if vv := h["Transfer-Encoding"]; len(vv) > 1 || len(vv) == 1 && vv[0] != "" && vv[0] != "chunked" {
		return fmt.Errorf("http2: invalid Transfer-Encoding request header: %q", vv)
	}
	vv := h["Connection"]
	if len(vv) > 1 || len(vv) == 1 && vv[0] != "" && !strings.EqualFold(vv[0], "close") && !strings.EqualFold(vv[0], "keep-alive") {
		return fmt.Errorf("http2: invalid Connection request header: %q", vv)
	}
	return nil
}

// isValue reports whether s has no control bytes except tabs.
func isValue(s string) bool { return http1.ValidFieldValue([]byte(s)) }

// pathOf returns the path and query of a request that is sent directly to its server.
func pathOf(req *http.Request) string {
	if u := req.URL; u.Opaque != "" {
		if path, ok := strings.CutPrefix(u.Opaque, "//"+u.Host); ok && path != "" {
			return withQuery(path, u.RawQuery)
		}
	}
	return req.URL.RequestURI()
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// authorityOf returns the host that a request names as its target.
func authorityOf(req *http.Request) string {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	return withoutZone(asciiHost(host))
}

// withoutZone removes the zone from an IPv6 address, since it means something on this machine only (RFC 6874 §4).
func withoutZone(host string) string {
	if !strings.HasPrefix(host, "[") {
		return host
	}
	end := strings.IndexByte(host, ']')
	if at := strings.IndexByte(host, '%'); at > 0 && at < end {
		return host[:at] + host[end:]
	}
	return host
}
