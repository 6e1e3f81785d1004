package http3

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// responseHead is the head of a response.
type responseHead struct {
	status int
	length int64 // -1 if there is no content-length
	fields []http2.Field
}

// malformed is a rule of RFC 9114 that a response head breaks.
func malformed(rule, msg string) *h3frame.Error {
	return &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Rule: rule, Msg: msg}
}

var (
	errStatus    = malformed("RFC 9114 §4.3.2", "response without exactly one :status of three digits in front")
	errSwitching = malformed("RFC 9114 §4.5", "status 101")
	errField     = malformed("RFC 9114 §4.2", "malformed or forbidden field in a response")
	errLength    = malformed("RFC 9114 §4.1.2", "malformed or repeated content-length")
)

// readFields checks the fields of a response and fills h.
func (h *responseHead) readFields(fields []http2.Field) *h3frame.Error {
	*h = responseHead{length: -1}
	if len(fields) == 0 || fields[0].Name != ":status" {
		return errStatus
	}
	v := fields[0].Value
	n, ok := parseLength(v)
	if !ok || len(v) != 3 || n < 100 {
		return errStatus
	}
	if h.status = int(n); h.status == http.StatusSwitchingProtocols {
		return errSwitching
	}
	h.fields = fields[1:]
	for _, f := range h.fields {
		switch {
		case strings.HasPrefix(f.Name, ":"):
			return errStatus
		case !http2.ValidField(f.Name, f.Value): // the rules are those of HTTP/2
			return errField
		case f.Name == "content-length":
			if n, ok := parseLength(f.Value); ok && h.length < 0 {
				h.length = n
			} else {
				return errLength
			}
		}
	}
	return nil
}

// parseLength parses a decimal number.
func parseLength(s string) (n int64, ok bool) {
	for i := range len(s) {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, s != ""
}

// readHead reads the head of the final response. Informational ones are passed to the trace.
func (x *clientExchange) readHead() (h responseHead, err error) {
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
		if e := h.readFields(fields); e != nil {
			return h, x.refuse(e)
		}
		x.k.answered()
		if h.status >= 200 {
			x.c.traceFirstByte()
			x.expect(h)
			x.noteHead(true)
			return h, nil
		}
		x.in.msg.Interim()
		if err := x.passInterim(h); err != nil {
			x.abort(h3frame.RequestCancelled, err)
			return h, err
		}
	}
}

// expect says how much content the response has (RFC 9110 §6.4.1).
func (x *clientExchange) expect(h responseHead) {
	if x.c.isBodyless(h.status) {
		x.in.msg.Expect(0)
	} else {
		x.in.msg.Expect(h.length)
	}
}

// isBodyless reports whether a response has no content, whatever its fields say.
func (c *clientCall) isBodyless(status int) bool {
	return c.method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified
}

// maxInterim is how many informational responses may precede the final one, unless the program looks at them.
const maxInterim = 16

// passInterim passes an informational response to the trace.
func (x *clientExchange) passInterim(h responseHead) error {
	if h.status == http.StatusContinue {
		x.noteHead(false)
	}
	x.c.traceFirstByte()
	x.interim++
	for _, f := range h.fields {
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
	if h.status == http.StatusContinue && t.Got100Continue != nil {
		t.Got100Continue()
	}
	if t.Got1xxResponse == nil {
		return nil
	}
	x.interim, x.inBytes = 0, 0 // the program may end the request
	return t.Got1xxResponse(h.status, textproto.MIMEHeader(makeHeader(h.fields)))
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
