package websocket

import (
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"slices"

	"github.com/shockwave-go/shockwave/http1"
)

// HandshakeError is the reason why a server refused an upgrade (RFC 6455 §4.2.2), or why a client refused the server's
// answer (§4.1). Status is the status of the response.
type HandshakeError struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *HandshakeError) Error() string { return "websocket: handshake: " + e.Msg }

// handshakeRequest is the part of a client's request that the handshake uses.
type handshakeRequest struct {
	method string
	major  int // major version of HTTP
	minor  int // minor version of HTTP
	host   string
	body   bool                       // the request has a body, or may have one
	values func(name string) []string // returns the values of the field with this canonical name
}

// handshakeAnswer is what a successful handshake has agreed on.
type handshakeAnswer struct {
	key         string // Sec-WebSocket-Accept
	subprotocol string
	deflate     *deflateParams // nil: not negotiated
}

// The reasons to refuse a handshake.
var (
	errMethod    = &HandshakeError{http.StatusMethodNotAllowed, "the method is not GET (RFC 6455 §4.1)"}
	errVersion11 = &HandshakeError{http.StatusUpgradeRequired, "the version is not HTTP/1.1 (RFC 6455 §4.1)"}
	errUpgrade   = &HandshakeError{http.StatusUpgradeRequired, "no Upgrade to websocket (RFC 6455 §4.2.1)"}
	errConnHdr   = &HandshakeError{http.StatusBadRequest, "Connection does not name Upgrade (RFC 6455 §4.2.1)"}
	errKey       = &HandshakeError{http.StatusBadRequest, "Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 §4.2.1)"}
	errVersion   = &HandshakeError{http.StatusUpgradeRequired, "Sec-WebSocket-Version is not 13 (RFC 6455 §4.4)"}
	errBody      = &HandshakeError{http.StatusBadRequest, "a request to upgrade must not have a body"}
	errOrigin    = &HandshakeError{http.StatusForbidden, "the page's origin may not connect (RFC 6455 §10.2)"}
	errChoice    = &HandshakeError{http.StatusInternalServerError, "Config.ChooseSubprotocol chose what the client does not offer (RFC 6455 §4.2.2)"}
	errHijack    = &HandshakeError{http.StatusInternalServerError, "the connection cannot be taken over"}
)

// check checks what makes the request an upgrade (RFC 6455 §4.2.1).
func (o *handshakeRequest) check() *HandshakeError {
	keys := o.values("Sec-Websocket-Key")
	switch {
	case o.method != http.MethodGet:
		return errMethod
	case o.major != 1 || o.minor < 1:
		return errVersion11
	case !http1.HasToken("websocket", o.values("Upgrade")...):
		return errUpgrade
	case !http1.HasToken("upgrade", o.values("Connection")...):
		return errConnHdr
	case len(keys) != 1 || !validKey(keys[0]):
		return errKey
	}
	return nil
}

// answer decides about a request (RFC 6455 §4.2).
func (s *settings) answer(o *handshakeRequest) (handshakeAnswer, *HandshakeError) {
	if refused := o.check(); refused != nil {
		return handshakeAnswer{}, refused
	}
	switch {
	case !slices.Equal(o.values("Sec-Websocket-Version"), []string{"13"}):
		return handshakeAnswer{}, errVersion
	case o.body:
		return handshakeAnswer{}, errBody
	case !s.allows(o.values("Origin"), o.host):
		return handshakeAnswer{}, errOrigin
	}
	subprotocol, refused := s.choose(offeredNames(o.values("Sec-Websocket-Protocol")))
	if refused != nil {
		return handshakeAnswer{}, refused
	}
	deflate, refused := chooseDeflate(o.values("Sec-Websocket-Extensions"), s.Compression)
	if refused != nil {
		return handshakeAnswer{}, refused
	}
	return handshakeAnswer{key: acceptKey(o.values("Sec-Websocket-Key")[0]), subprotocol: subprotocol, deflate: deflate}, nil
}

// appendAnswer appends the head of a 101 response (RFC 6455 §4.2.2). more has further fields; those of the handshake are
// skipped.
func (a *handshakeAnswer) appendAnswer(dst []byte, more http.Header) []byte {
	dst = append(dst, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "...)
	dst = append(dst, a.key...)
	if a.subprotocol != "" {
		dst = append(append(dst, "\r\nSec-WebSocket-Protocol: "...), a.subprotocol...)
	}
	if a.deflate != nil {
		dst = a.deflate.append(append(dst, "\r\nSec-WebSocket-Extensions: "...))
	}
	dst = append(dst, "\r\n"...)
	for name, values := range more {
		if isHandshakeField(name) {
			continue
		}
		for _, v := range values {
			dst, _ = http1.AppendField(dst, name, v)
		}
	}
	return append(dst, "\r\n"...)
}

// isHandshakeField reports whether the field belongs to the handshake, so that the application may not set it.
func isHandshakeField(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Upgrade", "Connection", "Content-Length", "Transfer-Encoding", "Trailer", "Host", "Sec-Websocket-Key",
		"Sec-Websocket-Version", "Sec-Websocket-Accept", "Sec-Websocket-Protocol", "Sec-Websocket-Extensions":
		return true
	}
	return false
}

// acceptKey returns the Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455 §4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func validKey(key string) bool {
	var raw [18]byte
	if len(key) != 24 {
		return false
	}
	n, err := base64.StdEncoding.Decode(raw[:], []byte(key))
	return err == nil && n == 16
}
