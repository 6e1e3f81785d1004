package http3

import (
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// readHead reads the head of the final response. Informational ones are passed to the trace.
func (x *clientExchange) readHead() (h http2.Head, err error) {
	for {
		p, err := x.next()
		if err == io.EOF { // not possible: the message has no head
			err = &earlyEnd{errNoResponse}
		}
		if err != nil {
			return h, err
		}
		fields, err := x.decode(p.Bytes)
		if err != nil {
			return h, err
		}
		if bad := h.ReadResponse(fields); bad != nil {
			return h, x.refuse(malformed(bad))
		}
		x.k.answered()
		if h.Status >= 200 {
			x.c.traceFirstByte()
			x.expect(&h)
			x.noteHead(true)
			return h, nil
		}
		x.in.msg.Interim()
		if err := x.passInterim(&h); err != nil {
			x.abort(h3frame.RequestCancelled, err)
			return h, err
		}
	}
}

// expect says how much content the response has (RFC 9110 §6.4.1).
func (x *clientExchange) expect(h *http2.Head) {
	if x.c.isBodyless(h.Status) {
		x.in.msg.Expect(0)
	} else {
		x.in.msg.Expect(h.ContentLength)
	}
}

// isBodyless reports whether a response has no content, whatever its fields say.
func (c *clientCall) isBodyless(status int) bool {
	return c.method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
}

// maxInterim is how many informational responses may precede the final one, unless the program looks at them.
const maxInterim = 16

// passInterim passes an informational response to the trace.
func (x *clientExchange) passInterim(h *http2.Head) error {
	if h.Status == http.StatusContinue {
		x.noteHead(false)
	}
	x.c.traceFirstByte()
	x.interim++
	for _, f := range h.Fields {
		x.inBytes += len(f.Name) + len(f.Value) + 32
	}
	x.k.charge(costIdle)
	if x.interim > maxInterim || x.inBytes > x.c.t.headBytes() {
		return errInterim
	}
	t := x.c.trace
	if t == nil {
		return nil
	}
	if h.Status == http.StatusContinue && t.Got100Continue != nil {
		t.Got100Continue()
	}
	if t.Got1xxResponse == nil {
		return nil
	}
	x.interim, x.inBytes = 0, 0 // the program may end the request
	return t.Got1xxResponse(h.Status, textproto.MIMEHeader(makeHeader(h.Fields)))
}

var errInterim = fmt.Errorf("http3: more than %d informational responses, or too long ones", maxInterim)

// makeHeader returns the map of fields.
func makeHeader(fields []http2.Field) http.Header {
	h := make(http.Header, len(fields))
	values := make([]string, len(fields))
	for i, f := range fields {
		key := http.CanonicalHeaderKey(f.Name)
		if before, ok := h[key]; ok {
			h[key] = append(before, f.Value)
			continue
		}
		values[i] = f.Value
		h[key] = values[i : i+1 : i+1] // appending to it must not overwrite the next one
	}
	return h
}

// statusText returns the value of http.Response.Status.
func statusText(code int) string { return strconv.Itoa(code) + " " + http.StatusText(code) }
