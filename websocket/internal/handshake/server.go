package handshake

import (
	"net/http"
	"slices"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// Request is the part of a client's request that the handshake uses.
type Request struct {
	Method string
	Major  int // major version of HTTP
	Minor  int // minor version of HTTP
	Host   string
	Body   bool                       // the request has a body, or may have one
	Values func(name string) []string // returns the values of the field with this canonical name
}

// The reasons to refuse a request. ErrHijack is for servers that cannot give their connection away.
var (
	errMethod    = &Error{http.StatusMethodNotAllowed, "the method is not GET (RFC 6455 §4.1)"}
	errVersion11 = &Error{http.StatusUpgradeRequired, "the version is not HTTP/1.1 (RFC 6455 §4.1)"}
	errUpgrade   = &Error{http.StatusUpgradeRequired, "no Upgrade to websocket (RFC 6455 §4.2.1)"}
	errConnHdr   = &Error{http.StatusBadRequest, "Connection does not name Upgrade (RFC 6455 §4.2.1)"}
	errKey       = &Error{http.StatusBadRequest, "Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 §4.2.1)"}
	errVersion   = &Error{http.StatusUpgradeRequired, "Sec-WebSocket-Version is not 13 (RFC 6455 §4.4)"}
	errBody      = &Error{http.StatusBadRequest, "a request to upgrade must not have a body"}
	errOrigin    = &Error{http.StatusForbidden, "origin not allowed (RFC 6455 §10.2)"}
	errChoice    = &Error{http.StatusInternalServerError, "Config.ChooseSubprotocol returned a name that the client does not offer (RFC 6455 §4.2.2)"}
	ErrHijack    = &Error{http.StatusInternalServerError, "the connection cannot be taken over"}
)

// check checks what makes the request an upgrade (RFC 6455 §4.2.1).
func (r *Request) check() *Error {
	keys := r.Values("Sec-Websocket-Key")
	switch {
	case r.Method != http.MethodGet:
		return errMethod
	case r.Major != 1 || r.Minor < 1:
		return errVersion11
	case !http1.HasToken("websocket", r.Values("Upgrade")...):
		return errUpgrade
	case !http1.HasToken("upgrade", r.Values("Connection")...):
		return errConnHdr
	case len(keys) != 1 || !validKey(keys[0]):
		return errKey
	}
	return nil
}

// Accept decides about a request (RFC 6455 §4.2).
func (s *Settings) Accept(r *Request) (Agreement, *Error) {
	if refused := r.check(); refused != nil {
		return Agreement{}, refused
	}
	switch {
	case !slices.Equal(r.Values("Sec-Websocket-Version"), []string{"13"}):
		return Agreement{}, errVersion
	case r.Body:
		return Agreement{}, errBody
	case !s.allows(r.Values("Origin"), r.Host):
		return Agreement{}, errOrigin
	}
	subprotocol, refused := s.choose(OfferedNames(r.Values("Sec-Websocket-Protocol")))
	if refused != nil {
		return Agreement{}, refused
	}
	deflate, err := permessage.Choose(r.Values("Sec-Websocket-Extensions"), s.Compression, s.Memory)
	if err != nil {
		return Agreement{}, &Error{http.StatusBadRequest, err.Error()}
	}
	return Agreement{key: AcceptKey(r.Values("Sec-Websocket-Key")[0]), Subprotocol: subprotocol, Deflate: deflate}, nil
}

// AppendResponse appends the head of a 101 response (RFC 6455 §4.2.2). more has further fields; those of the handshake are
// skipped.
func (a *Agreement) AppendResponse(dst []byte, more http.Header) []byte {
	dst = append(dst, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "...)
	dst = append(dst, a.key...)
	if a.Subprotocol != "" {
		dst = append(append(dst, "\r\nSec-WebSocket-Protocol: "...), a.Subprotocol...)
	}
	if a.Deflate != nil {
		dst = a.Deflate.Append(append(dst, "\r\nSec-WebSocket-Extensions: "...))
	}
	dst = append(dst, "\r\n"...)
	for name, values := range more {
		if IsField(name) {
			continue
		}
		for _, v := range values {
			dst, _ = http1.AppendField(dst, name, v)
		}
	}
	return append(dst, "\r\n"...)
}
