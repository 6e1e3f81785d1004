package nethttp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// WriteHeader makes the head final, with the fields as they are now. A 1xx status other than 101 is sent at once and
// leaves the final head open. WriteHeader panics if code does not have three digits.
func (w *response) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.nw == nil && w.hijacked:
		w.lateCallError("WriteHeader", true)
	case w.nw == nil:
	case w.status != 0:
		w.owner().logf("http: superfluous response.WriteHeader call from %s", caller())
	case code < 100 || code > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %v", code))
	case code < 200 && code != http.StatusSwitchingProtocols:
		w.writeInformationalLocked(code)
	default:
		w.writeHeaderLocked(code)
	}
}

// writeInformationalLocked sends a 1xx response with the fields as they are now; they stay in the map (RFC 8297 §2).
func (w *response) writeInformationalLocked(code int) {
	var h shockwave.Header
	if code != http.StatusContinue {
		for _, f := range appendFields(nil, w.header) {
			for _, value := range f.Values {
				h.Add(f.Key, cleanValue(value))
			}
		}
	}
	w.nw.WriteInformational(code, &h)
}

// writeHeaderLocked makes the head final. w.status must be 0, and code a final status or 101.
func (w *response) writeHeaderLocked(code int) {
	w.status, w.hasBody = int16(code), http1.AllowsBody(code, w.connect)
	if w.owner().keepAlivesOff() {
		w.nw.CloseAfter()
	}
	w.nw.SetStatus(code)
	var room [8]headermap.Line
	fields := appendFields(room[:0], w.header)
	length := w.declaredLength(fields)
	out, sniff := w.nw.Header(), w.hasBody
	if out.Len() > 0 && w.header["Alt-Svc"] != nil {
		out.Del("Alt-Svc") // the server's, in place of which the handler has its own
	}
	hasCodings := w.x.req.ProtoMajor == 1 // HTTP/2 has no transfer codings, whatever the handler says (RFC 9113 §8.2.2)
	w.noTrailers = hasCodings && length >= 0
	for i := range fields {
		f := &fields[i]
		switch f.Kind {
		case fieldkind.ContentLength:
			if w.hasBody && (len(f.Values) == 0 || hasCodings && length < 0 && invalidLength(f, fields)) {
				out.Add("Transfer-Encoding", "chunked") // no length is wanted, or it is invalid
			}
			continue // set below, once
		case fieldkind.ContentType:
			sniff = false // a key without values asks for no type
			if code == http.StatusNotModified {
				continue // a 304 has no type of its own
			}
		case fieldkind.ContentEncoding:
			if firstOf(f.Values) != "" {
				sniff = false // the type of encoded bytes cannot be seen
			}
		case fieldkind.TransferEncoding:
			if !hasCodings {
				continue
			}
			if coding := firstOf(f.Values); coding != "" {
				sniff = false
				if coding != "identity" {
					out.Add(f.Key, "chunked") // applied by the server; the handler has applied the others
					if coding != "chunked" {
						out.Add(f.Key, cleanValue(strings.Join(f.Values, ",")))
					}
					continue
				}
			}
		case fieldkind.Trailer:
			w.announceTrailersLocked(f)
			continue
		case fieldkind.Date:
			if len(f.Values) == 0 {
				out.Add(f.Key, "") // sends no Date
			}
		}
		for _, value := range f.Values {
			out.Add(f.Key, cleanValue(value))
		}
	}
	if w.hasBody {
		w.nw.SetContentLength(length)
	}
	if sniff {
		w.nw.SniffType()
	}
}

// invalidLength reports whether f, a Content-Length from which declaredLength got no length, has a value and there is
// no Transfer-Encoding. Then the body is chunked, as in net/http.
func invalidLength(f *headermap.Line, fields []headermap.Line) bool {
	return firstOf(f.Values) != "" &&
		!slices.ContainsFunc(fields, func(f headermap.Line) bool { return f.Kind == fieldkind.TransferEncoding })
}

// firstOf returns the first of values, or "" if there is none.
func firstOf(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
