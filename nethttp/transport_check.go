package nethttp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
)

// bodyLength returns the length of a request's body, 0 if there is none and -1 if that is not known.
func bodyLength(req *http.Request) int64 {
	switch {
	case req.Body == nil || req.Body == http.NoBody:
		return 0
	case req.ContentLength != 0:
		return max(req.ContentLength, -1)
	}
	return -1
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// check refuses what cannot be sent.
func (t *Transport) check(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("http: nil Request.URL")
	case req.Header == nil:
		return errors.New("http: nil Request.Header")
	case req.URL.Host == "":
		return errors.New("http: no Host in request URL")
	case req.Method != "" && !http1.ValidToken([]byte(req.Method)):
		return fmt.Errorf("net/http: invalid method %q", req.Method)
	}
	if err := t.checkScheme(req.URL.Scheme); err != nil {
		return err
	}
	if err := checkFields("header", req.Header); err != nil {
		return err
	}
	if err := checkFields("trailer", req.Trailer); err != nil {
		return err
	}
	if !validPath(pathOf(req)) && req.Method != http.MethodConnect {
		return fmt.Errorf("nethttp: invalid request target %q", pathOf(req))
	}
	if !http1.ValidHost([]byte(authorityOf(req))) {
		return fmt.Errorf("nethttp: invalid Host %q", authorityOf(req))
	}
	return checkConnection(req.Header)
}

// checkScheme refuses what is not spoken.
func (t *Transport) checkScheme(scheme string) error {
	p := t.Protocols
	switch {
	case scheme != "http" && scheme != "https":
		return fmt.Errorf("unsupported protocol scheme %q", scheme)
	case scheme == "https" && p != nil && !p.HTTP2():
		return errors.New("nethttp: https needs HTTP2 in Transport.Protocols: HTTP/1.1 is not spoken")
	case scheme == "http" && (p == nil || !p.UnencryptedHTTP2() || p.HTTP1()):
		return errors.New("nethttp: http needs UnencryptedHTTP2, and not HTTP1, in Transport.Protocols: HTTP/1.1 is not spoken")
	}
	return nil
}

func checkFields(what string, h http.Header) error {
	for name, values := range h {
		if !isToken(name) {
			return fmt.Errorf("net/http: invalid %s field name %q", what, name)
		}
		for _, v := range values {
			if !isValue(v) {
				// The value may be a secret: it is not said.
				return fmt.Errorf("net/http: invalid %s field value for %q", what, name)
			}
		}
	}
	return nil
}

// checkConnection refuses fields that would ask for another protocol than HTTP/2, as net/http does (RFC 9113 §8.2.2).
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

// isValue tells whether a value has no control bytes but the tab.
func isValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// validPath tells whether p can be a :path (RFC 9113 §8.3.1).
func validPath(p string) bool {
	if p == "*" {
		return true
	}
	for i := range len(p) {
		if p[i] <= ' ' || p[i] == 0x7f {
			return false
		}
	}
	return p != "" && p[0] == '/'
}

// pathOf is the :path of a request.
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

// authorityOf is the :authority of a request.
func authorityOf(req *http.Request) string {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	return asciiHost(host)
}
