package main

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// The paths of handler, and the content types that all peers give.
const (
	pathPost   = "/post"   // responds with the length of the request's body
	pathStream = "/stream" // responds with ?mib=N MiB

	typeText  = "text/plain; charset=utf-8"
	typeBytes = "application/octet-stream"
)

// piece is what is written at once on pathStream.
var piece = bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16)

func init() { caddy.RegisterModule(handler{}) }

// handler is Caddy's module http.handlers.bench.
type handler struct{}

// CaddyModule implements caddy.Module.
func (handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.bench", New: func() caddy.Module { return new(handler) }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler. It is the last handler of its routes.
func (handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	if r.URL.Path == pathStream {
		return stream(w, r.URL.RawQuery)
	}
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		return caddyhttp.Error(http.StatusBadRequest, err)
	}
	body := strconv.AppendInt(nil, n, 10)
	begin(w, typeText, len(body))
	_, err = w.Write(body)
	return err
}

// stream writes as many MiB as the query says. It ends early if the client has gone.
func stream(w http.ResponseWriter, query string) error {
	mib, err := strconv.ParseUint(strings.TrimPrefix(query, "mib="), 10, 10)
	if err != nil {
		return caddyhttp.Error(http.StatusBadRequest, err)
	}
	n := int(mib) << 20
	begin(w, typeBytes, n)
	for range n / len(piece) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

func begin(w http.ResponseWriter, contentType string, n int) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(n))
}
