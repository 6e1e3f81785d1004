package server

import (
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// switchingToH2 is the answer to a request that asks for HTTP/2 (RFC 7540 §3.2). It asks for nothing else.
var switchingToH2 = []byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")

// wantsH2 reports whether the client asks for HTTP/2 with this request, and may have it: RFC 7540 §3.2 wants exactly one
// HTTP2-Settings, listed in Connection. A request with a body is answered in HTTP/1.1: the new protocol could not begin
// before its end.
func (m *h1Message) wantsH2() bool {
	h := &m.head.Header
	return m.head.Upgrade && m.conn.allowsH2C && bodyLength(m.head.Framing) == 0 &&
		hasListToken(h, "Upgrade", "h2c") && hasListToken(h, "Connection", "http2-settings") && onlyValue(h, "HTTP2-Settings") != nil
}

// lists reports whether a field called name has a token in its list.
func hasListToken(h *shockwave.Header, name, token string) bool {
	for v, i := h.Next(name, 0); i > 0; v, i = h.Next(name, i) {
		for element := range http1.Elements(v) {
			if strings.EqualFold(view(element), token) {
				return true
			}
		}
	}
	return false
}

// upgradeToH2 makes m the first stream of a connection of HTTP/2, which is answered when the client's preface begins: there
// are clients that lose what comes together with the 101 (curl before 8). ok is false if m is to be answered as it came.
func (k *h1Conn) upgradeToH2(c *netconn.Conn, m *h1Message) (ok bool) {
	wire := k.srv.newH2Wire(c)
	st, err := wire.Upgrade(string(m.head.Header.Get("HTTP2-Settings")))
	if err != nil {
		return false
	}
	n := k.srv.newH2Conn(c, wire, k.count, k.connValue)
	c.Write(switchingToH2)
	h := h2HeadOf(&m.head)
	n.Head(&http2.Event{Kind: http2.Headers, Stream: st, Head: &h, EndStream: true}) // nobody else knows n: it needs no lock
	n.uncounted = 0                                                                  // it has been counted as HTTP/1's
	c.Become(n)
	return true
}

// h2HeadOf returns a request of HTTP/1.1 as HTTP/2 would have brought it (RFC 9113 §8.3.1).
func h2HeadOf(r *http1.Request) http2.Head {
	h := http2.Head{
		Method: string(r.Method), Scheme: "http", Authority: string(r.Host), Path: string(r.Target), ContentLength: -1,
	}
	if r.Form == http1.AbsoluteForm {
		h.Path = string(r.Path)
		if h.Path == "" {
			h.Path = "/"
		}
		if r.HasQuery {
			h.Path += "?" + string(r.Query)
		}
	}
	for i := range r.Header.Len() {
		name, value := r.Header.At(i)
		switch lower := string(appendLower(nil, name)); lower {
		case "host", "connection", "http2-settings", "transfer-encoding":
		default:
			if !connectionSpecific(name) {
				h.Fields = append(h.Fields, http2.Field{Name: lower, Value: string(value)})
			}
		}
	}
	return h
}

// single returns the value of the only line called name, nil if there is none or another.
func onlyValue(h *shockwave.Header, name string) []byte {
	v, i := h.Next(name, 0)
	if i == 0 {
		return nil
	}
	if _, again := h.Next(name, i); again > 0 {
		return nil
	}
	return v
}
