package server

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

// switchingToH2 is the response to a request that upgrades to HTTP/2 (RFC 7540 §3.2).
var switchingToH2 = []byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")

// wantsH2 reports whether the request asks to upgrade to HTTP/2 and may do so. RFC 7540 §3.2 requires exactly one
// HTTP2-Settings field, listed in Connection. A request with a body gets its response in HTTP/1.1, because the new protocol
// could not begin before the end of the body. So is CONNECT: the upgrade ends the client's side of the stream, which could
// then be no tunnel.
func (m *h1Message) wantsH2() bool {
	h := &m.head.Header
	if !m.head.Upgrade || !m.conn.allowsH2C || bodyLength(m.head.Framing) != 0 || string(m.head.Method) == "CONNECT" {
		return false
	}
	return fieldkind.HasToken(h, "Upgrade", "h2c") && fieldkind.HasToken(h, "Connection", "http2-settings") &&
		onlyValue(h, "HTTP2-Settings") != nil
}

// upgradeToH2 makes m the first stream of an HTTP/2 connection. The 101 is sent when the client's preface begins,
// because some clients lose bytes that arrive together with the 101 (curl before 8). If ok is false, m must be answered
// in HTTP/1.1.
func (k *h1Conn) upgradeToH2(c *netconn.Conn, m *h1Message) (ok bool) {
	wire := k.srv.http2.newWire(c)
	st, err := wire.Upgrade(string(m.head.Header.Get("HTTP2-Settings")))
	if err != nil {
		return false
	}
	k.dropWriteTimeout(c)
	n := k.srv.http2.newConn(c, wire, k.count, k.connValue)
	c.Write(switchingToH2)
	h := h2HeadOf(&m.head)
	// Nothing else knows n yet, so no lock is needed.
	n.HeadLocked(&http2.Event{Kind: http2.EventHeaders, Stream: st, Head: &h, EndStream: true})
	n.uncounted = 0 // it was counted as an HTTP/1 request
	c.Become(n)
	return true
}

// h2HeadOf returns the HTTP/1.1 request r as an HTTP/2 head (RFC 9113 §8.3.1).
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
		switch lower := string(fieldkind.AppendLower(nil, name)); lower {
		case "host", "connection", "http2-settings", "transfer-encoding":
		default:
			if !fieldkind.ConnectionSpecific(name) {
				h.Fields = append(h.Fields, http2.Field{Name: lower, Value: string(value)})
			}
		}
	}
	return h
}

// onlyValue returns the value of the line called name, nil if there is no such line or more than one.
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
