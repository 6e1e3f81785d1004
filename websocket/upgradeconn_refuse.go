package websocket

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/linger"
)

// refusal returns the refusal that the client is sent when check has returned err.
func refusal(err error) *HandshakeError {
	var he *HandshakeError
	if errors.As(err, &he) && he.Status >= 400 && he.Status <= 599 {
		return he
	}
	return &HandshakeError{http.StatusForbidden, http.StatusText(http.StatusForbidden)}
}

// refuse sends the refusal to the client, and returns it.
func (h *connUpgrade) refuse(why *HandshakeError) error {
	h.refused = true
	answer := why.appendRefusal(nil, string(h.req.Method) == http.MethodHead && h.size > 0)
	if _, err := h.nc.Write(answer); err == nil && !h.requestComplete() {
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
func (e *HandshakeError) appendRefusal(dst []byte, head bool) []byte {
	dst = http1.AppendStatusLine(dst, e.Status, "")
	dst = append(dst, "Date: "...)
	dst = time.Now().UTC().AppendFormat(dst, http.TimeFormat)
	dst = append(dst, "\r\nSec-WebSocket-Version: 13\r\n"...)
	switch {
	case e == errMethod:
		dst = append(dst, "Allow: GET\r\nConnection: close\r\n"...)
	case e.Status == http.StatusUpgradeRequired:
		dst = append(dst, "Upgrade: websocket\r\nConnection: close, Upgrade\r\n"...)
	default:
		dst = append(dst, "Connection: close\r\n"...)
	}
	dst = append(dst, "Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(e.Msg)+1), 10)
	dst = append(dst, "\r\n\r\n"...)
	if head {
		return dst
	}
	return append(append(dst, e.Msg...), '\n')
}
