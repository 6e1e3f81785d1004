package websocket

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
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

// propose returns what the request r asks for. It checks what Config.Header and Config.Subprotocols have.
func (s *settings) propose(r *http.Request) (*handshake.Proposal, error) {
	p, err := s.shake.Propose()
	if err == nil {
		err = handshake.CheckRequest(r)
	}
	if err != nil {
		return nil, fmt.Errorf("websocket: %w", err)
	}
	return p, nil
}
