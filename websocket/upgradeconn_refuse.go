package websocket

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/linger"
)

// refusal returns what a client is told whom check has refused for err.
func refusal(err error) *HandshakeError {
	var he *HandshakeError
	if errors.As(err, &he) && he.Status >= 400 && he.Status <= 599 {
		return he
	}
	return &HandshakeError{http.StatusForbidden, http.StatusText(http.StatusForbidden)}
}

// refuse tells the client why, and returns that.
func (h *greeting) refuse(why *HandshakeError) error {
	h.refused = true
	answer := why.appendRefusal(nil, string(h.req.Method) == http.MethodHead && h.size > 0)
	if _, err := h.nc.Write(answer); err == nil && !h.saidAll() {
		linger.HearOut(h.nc, 256<<10, time.Now().Add(time.Second))
	}
	return why
}

// saidAll reports whether a client has sent a head and no more: it is not waited for.
func (h *greeting) saidAll() bool {
	return h.size > 0 && h.size == len(h.in.Unread()) && h.req.Framing.Delimiter == http1.NoBody
}

// appendRefusal appends the answer that refuses a handshake; to a HEAD request it has no body.
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
