package http3

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// checkRequest returns an error for a request that cannot be sent. The texts are http.Transport's.
func checkRequest(req *http.Request) error {
	switch {
	case req.URL == nil:
		return errors.New("http: nil Request.URL")
	case req.Header == nil:
		return errors.New("http: nil Request.Header")
	case req.URL.Scheme != "https":
		return fmt.Errorf("http3: unsupported protocol scheme %q: only https is spoken over HTTP/3", req.URL.Scheme)
	case req.URL.Host == "":
		return errors.New("http: no Host in request URL")
	case req.Method == http.MethodConnect:
		return errors.New("http3: the Transport does not send CONNECT")
	case req.ContentLength > 0 && (req.Body == nil || req.Body == http.NoBody):
		return fmt.Errorf("http: Request.ContentLength=%d with nil Body", req.ContentLength)
	}
	if err := checkFields("header", req.Header); err != nil {
		return err
	}
	if err := checkFields("trailer", req.Trailer); err != nil {
		return err
	}
	for name := range req.Trailer {
		switch http.CanonicalHeaderKey(name) {
		case "Transfer-Encoding", "Trailer", "Content-Length":
			return fmt.Errorf("invalid Trailer key %q", name)
		}
	}
	return checkConnection(req.Header)
}

// checkFields refuses fields that are malformed (RFC 9110 §5).
func checkFields(what string, h http.Header) error {
	for name, values := range h {
		if name == "" || name[0] == ':' || classOf(name) != fieldSkipped && !http2.ValidField(strings.ToLower(name), "trailers") {
			return fmt.Errorf("net/http: invalid %s field name %q", what, name)
		}
		for _, v := range values {
			if !http2.ValidField("x", trimSpace(v)) {
				// Leave the value out: it may be a secret.
				return fmt.Errorf("net/http: invalid %s field value for %q", what, name)
			}
		}
	}
	return nil
}

// checkConnection refuses fields that ask for another protocol than HTTP/3 (RFC 9114 §4.2).
func checkConnection(h http.Header) error {
	if v := h.Get("Upgrade"); v != "" && v != "chunked" {
		return fmt.Errorf("http3: invalid Upgrade request header: %q", h["Upgrade"])
	}
	if vv := h["Transfer-Encoding"]; len(vv) > 1 || len(vv) == 1 && vv[0] != "" && vv[0] != "chunked" {
		return fmt.Errorf("http3: invalid Transfer-Encoding request header: %q", vv)
	}
	vv := h["Connection"]
	if len(vv) > 1 || len(vv) == 1 && vv[0] != "" && !strings.EqualFold(vv[0], "close") && !strings.EqualFold(vv[0], "keep-alive") {
		return fmt.Errorf("http3: invalid Connection request header: %q", vv)
	}
	return nil
}
