// Package request holds what a run over HTTP asks for, and writes it as the heads of each version of HTTP.
package request

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// Request is a request that is sent repeatedly, or several that differ by their URL and take turns. It is not changed.
type Request struct {
	URLs   []*url.URL // of one server
	Method string
	Header shockwave.Header // Host, Content-Length and User-Agent replace the automatic ones
	Body   []byte
}

// Check refuses fields that would make the server see other requests than are counted.
func (r *Request) Check() error {
	if r.Header.Has("Transfer-Encoding") {
		return errors.New("load: bodies are sent with a Content-Length, not with a Transfer-Encoding")
	}
	if v := r.Header.Get("Content-Length"); v != nil && string(v) != strconv.Itoa(len(r.Body)) {
		return fmt.Errorf("load: Content-Length is %s, the body has %d bytes", v, len(r.Body))
	}
	return nil
}

// Closes reports whether the requests ask the server to close the connection after the response.
func (r *Request) Closes() (closes bool) {
	for v, i := r.Header.Next("Connection", 0); i > 0; v, i = r.Header.Next("Connection", i) {
		closes = closes || http1.HasToken("close", v)
	}
	return closes
}

// hasLength reports whether requests have a Content-Length. It is sent even for an empty body if the method makes a
// server expect one (RFC 9110 §8.6).
func (r *Request) hasLength() bool {
	return len(r.Body) > 0 || r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH"
}
