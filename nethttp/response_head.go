package nethttp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// WriteHeader settles the head with the fields as they are now. 1xx codes other than 101 are sent at once and leave
// the final head open. It panics when code has not three digits.
func (w *response) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.nw == nil && w.hijacked:
		w.cut("WriteHeader", true)
	case w.nw == nil:
	case w.status != 0:
		w.server().logf("http: superfluous response.WriteHeader call from %s", caller())
	case code < 100 || code > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %v", code))
	case code < 200 && code != http.StatusSwitchingProtocols:
		w.informational(code)
	default:
		w.writeHeader(code)
	}
}

// informational sends a 1xx answer with the fields as they are now, which stay (RFC 8297 §2).
func (w *response) informational(code int) {
	var h shockwave.Header
	if code != http.StatusContinue {
		for _, f := range appendFields(nil, w.header) {
			for _, value := range f.values {
				h.Add(f.key, cleanValue(value))
			}
		}
	}
	w.nw.WriteInformational(code, &h)
}

// writeHeader settles the head. w.mu is held, w.status is 0 and code a final one or 101.
func (w *response) writeHeader(code int) {
	w.status, w.bodied = int16(code), http1.AllowsBody(code, w.connect)
	if w.server().keepAlivesOff() {
		w.nw.CloseAfter()
	}
	w.nw.SetStatus(code)
	var room [8]headField
	fields := appendFields(room[:0], w.header)
	length := w.declaredLength(fields)
	out, sniff := w.nw.Header(), w.bodied
	codes := w.x.req.ProtoMajor == 1 // HTTP/2 has no transfer codings, whatever the handler says (RFC 9113 §8.2.2)
	for i := range fields {
		f := &fields[i]
		switch f.kind {
		case contentLength:
			if w.bodied && (len(f.values) == 0 || codes && length < 0 && doubtful(f, fields)) {
				out.Add("Transfer-Encoding", "chunked") // a nil one is the wish to send none, a bad one sends none
			}
			continue // goes out below, once
		case contentType:
			sniff = false // a nil one is the wish to send none
			if code == http.StatusNotModified {
				continue // a 304 says nothing new about the body
			}
		case contentEncoding:
			if firstOf(f.values) != "" {
				sniff = false // the type is not to be seen
			}
		case transferEncoding:
			if !codes {
				continue
			}
			if coding := firstOf(f.values); coding != "" {
				sniff = false
				if coding != "identity" {
					out.Add(f.key, "chunked") // which the server applies; the handler has applied the others
					if coding != "chunked" {
						out.Add(f.key, cleanValue(strings.Join(f.values, ",")))
					}
					continue
				}
			}
		case trailerField:
			w.announce(f)
			continue
		case dateField:
			if len(f.values) == 0 {
				out.Add(f.key, "") // sends none
			}
		}
		for _, value := range f.values {
			out.Add(f.key, cleanValue(value))
		}
	}
	if w.bodied {
		w.nw.SetContentLength(length)
	}
	if sniff {
		w.nw.SniffType()
	}
}

// doubtful reports whether f, a Content-Length of which no length was made, says something all the same and stands beside
// no Transfer-Encoding: the body is then chunked, as in net/http.
func doubtful(f *headField, fields []headField) bool {
	return firstOf(f.values) != "" &&
		!slices.ContainsFunc(fields, func(f headField) bool { return f.kind == transferEncoding })
}

// firstOf returns the first of some values, if there is one.
func firstOf(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
