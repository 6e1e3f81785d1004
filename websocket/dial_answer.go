package websocket

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// checkAnswer checks the response to a request (RFC 6455 §4.1).
func (s *settings) checkAnswer(r *http.Response, p *proposal) (handshakeAnswer, *HandshakeError) {
	wrong := func(msg string) (handshakeAnswer, *HandshakeError) {
		return handshakeAnswer{}, &HandshakeError{r.StatusCode, msg}
	}
	values := r.Header.Values
	upgrades, keys := values("Upgrade"), values("Sec-WebSocket-Accept")
	subs, extensions := values("Sec-WebSocket-Protocol"), values("Sec-WebSocket-Extensions")
	switch {
	case r.StatusCode != http.StatusSwitchingProtocols:
		return wrong("the server answered " + r.Status)
	case r.ProtoMajor != 1 || r.ProtoMinor < 1:
		return wrong("the server's 101 is not HTTP/1.1 (RFC 6455 §4.1)")
	case len(upgrades) != 1 || !strings.EqualFold(upgrades[0], "websocket"):
		return wrong("the server's Upgrade is not websocket (RFC 6455 §4.1, 2)")
	case !http1.HasToken("upgrade", values("Connection")...):
		return wrong("the server's Connection does not name Upgrade (RFC 6455 §4.1, 3)")
	case len(keys) != 1 || keys[0] != acceptKey(p.key):
		return wrong("the server's Sec-WebSocket-Accept does not answer the key (RFC 6455 §4.1, 4)")
	case len(p.offers) == 0 && len(extensions) > 0:
		return wrong("the server uses an extension that was not offered (RFC 6455 §4.1, 5)")
	case len(subs) > 1 || len(subs) == 1 && !slices.Contains(s.Subprotocols, subs[0]):
		return wrong("the server chose a subprotocol that was not offered (RFC 6455 §4.1, 6)")
	}
	deflate, refused := agreeDeflate(extensions, p.offers)
	if refused != nil {
		return wrong(refused.Msg)
	}
	return handshakeAnswer{subprotocol: strings.Join(subs, ""), deflate: deflate}, nil
}

// status returns the status code and the reason phrase.
func status(r *http1.Response) string {
	s := strconv.Itoa(r.Status)
	if len(r.Reason) > 0 {
		s += " " + string(r.Reason)
	}
	return s
}

// response returns r as an http.Response without a body.
func response(r *http1.Response, req *http.Request, nc net.Conn) *http.Response {
	resp := &http.Response{
		Status: status(r), StatusCode: r.Status, Proto: "HTTP/1." + strconv.Itoa(r.Minor), ProtoMajor: 1,
		ProtoMinor: r.Minor, Header: make(http.Header, r.Header.Len()), Body: http.NoBody, Request: req,
	}
	for name, value := range r.Header.All() {
		resp.Header.Add(string(name), string(value))
	}
	switch r.Framing.Delimiter {
	case http1.ByLength:
		resp.ContentLength = r.Framing.Length
	case http1.ByChunks, http1.ByClose:
		resp.ContentLength = -1
	}
	if tc, ok := nc.(*tls.Conn); ok {
		state := tc.ConnectionState()
		resp.TLS = &state
	}
	return resp
}

// The limits for the body of a refusal: how much of it is kept, and how long the server may take to send it.
const (
	maxRefusalBody     = 1 << 10
	refusalBodyTimeout = time.Second
)

// refusalBody returns the beginning of the body of r, as much as arrives in time and is well-formed.
func refusalBody(nc net.Conn, r *http1.Response, in *httpread.Buffer) io.ReadCloser {
	var body httpread.Body
	body.Reset(-1)
	body.Start(r.Framing, http1.Limits{})
	nc.SetReadDeadline(time.Now().Add(refusalBodyTimeout))
	text := make([]byte, maxRefusalBody)
	kept := 0
	for kept < maxRefusalBody {
		n, err := body.Read(in, text[kept:])
		if kept += n; err != nil {
			break
		}
	}
	return io.NopCloser(bytes.NewReader(text[:kept]))
}
