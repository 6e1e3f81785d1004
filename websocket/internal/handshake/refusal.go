package handshake

import (
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/linger"
)

// refuse sends the refusal to the client, and returns it.
func (h *connUpgrade) refuse(why *Error) error {
	h.refused = true
	response := why.appendRefusal(nil, string(h.req.Method) == http.MethodHead && h.size > 0)
	if _, err := h.nc.Write(response); err == nil && !h.requestComplete() {
		linger.Drain(h.nc, 256<<10, time.Now().Add(time.Second))
	}
	return why
}

// requestComplete reports whether the client has sent a whole request and nothing after it. Otherwise the refusal could
// be lost, because closing a connection with unread input resets it.
func (h *connUpgrade) requestComplete() bool {
	return h.size > 0 && h.size == len(h.in.Unread()) && h.req.Framing.Delimiter == http1.NoBody
}

// appendRefusal appends the response that refuses a handshake; the response to a HEAD request has no body.
func (e *Error) appendRefusal(dst []byte, head bool) []byte {
	dst = http1.AppendStatusLine(dst, e.Status, "")
	dst = append(dst, "Date: "...)
	dst = time.Now().UTC().AppendFormat(dst, http.TimeFormat)
	dst = append(dst, "\r\n"...)
	connection := "close"
	e.Fields(func(name, value string) {
		if name == "Connection" {
			connection += ", " + value
			return
		}
		dst, _ = http1.AppendField(dst, name, value)
	})
	dst, _ = http1.AppendField(dst, "Connection", connection)
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(e.Msg)+1), 10)
	dst = append(dst, "\r\n\r\n"...)
	if head {
		return dst
	}
	return append(append(dst, e.Msg...), '\n')
}

// Fields calls set for each field of the response that e refuses a request with: the version that is understood, and what
// would have been accepted (RFC 6455 §4.4, RFC 9110 §15.5.6, §15.5.22).
func (e *Error) Fields(set func(name, value string)) {
	set("Sec-WebSocket-Version", "13")
	if e.Status == http.StatusUpgradeRequired {
		set("Upgrade", "websocket")
		set("Connection", "Upgrade")
	}
	if e == errMethod {
		set("Allow", http.MethodGet)
	}
}
