package websocket

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// request returns the request as an http.Request, which is used for the choice of a proxy and in the response.
func (p *endpoint) request(header http.Header) *http.Request {
	r := &http.Request{
		Method: http.MethodGet, URL: p.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: p.hostField,
	}
	for name, values := range header {
		if name = http.CanonicalHeaderKey(name); name == "Host" {
			r.Host = ""
			if len(values) == 1 {
				r.Host = values[0]
			}
			continue
		}
		r.Header[name] = append(r.Header[name], values...)
	}
	if cookies := r.Header["Cookie"]; len(cookies) > 1 { // only one such field is allowed (RFC 6265 §5.4)
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	if u := p.url.User; u != nil && r.Header["Authorization"] == nil {
		password, _ := u.Password()
		r.Header.Set("Authorization", dial.Basic(u.Username(), password))
	}
	return r
}

var errHost = errors.New("websocket: the Host in Config.Header is not valid")

// proposal has the parts of a request that its answer is checked against, besides the Config.
type proposal struct {
	key    string
	offers []deflateParams
}

func (s *settings) propose() *proposal { return &proposal{newKey(), offerDeflate(s.Compression)} }

// newKey returns a random Sec-WebSocket-Key of 16 bytes (RFC 6455 §4.1).
func newKey() string {
	var nonce [16]byte
	rand.Read(nonce[:])
	return base64.StdEncoding.EncodeToString(nonce[:])
}

// appendRequest appends the head of the request (RFC 6455 §4.1).
func (s *settings) appendRequest(dst []byte, to *endpoint, r *http.Request, p *proposal) (_ []byte, err error) {
	dst, ok := http1.AppendRequestLine(dst, r.Method, to.url.RequestURI())
	if !ok {
		return nil, fmt.Errorf("websocket: URL %q cannot be sent", to.name)
	}
	if r.Host == "" || !http1.ValidHost([]byte(r.Host)) {
		return nil, errHost
	}
	dst, _ = http1.AppendField(dst, "Host", r.Host)
	dst = append(dst, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "...)
	dst = append(append(dst, p.key...), "\r\n"...)
	if dst, err = s.appendSubprotocols(dst); err != nil {
		return nil, err
	}
	if len(p.offers) > 0 {
		dst = appendOffers(append(dst, "Sec-WebSocket-Extensions: "...), p.offers)
		dst = append(dst, "\r\n"...)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if isHandshakeField(name) {
			return nil, fmt.Errorf("websocket: %s in Config.Header is set by the handshake", name)
		}
		for _, v := range r.Header[name] {
			if dst, ok = http1.AppendField(dst, name, v); !ok {
				return nil, fmt.Errorf("websocket: the field %q in Config.Header cannot be sent", name)
			}
		}
	}
	return append(dst, "\r\n"...), nil
}

// appendSubprotocols appends the field with the offered subprotocols. They must be tokens without duplicates (RFC 6455
// §4.1).
func (s *settings) appendSubprotocols(dst []byte) ([]byte, error) {
	for i, name := range s.Subprotocols {
		if !http1.ValidToken([]byte(name)) || slices.Contains(s.Subprotocols[:i], name) {
			return nil, fmt.Errorf("websocket: subprotocol %q is not a token or is listed twice", name)
		}
		if i == 0 {
			dst = append(dst, "Sec-WebSocket-Protocol: "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = append(dst, name...)
	}
	if len(s.Subprotocols) > 0 {
		dst = append(dst, "\r\n"...)
	}
	return dst, nil
}
