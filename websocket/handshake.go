package websocket

import (
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"slices"

	"github.com/shockwave-go/shockwave/http1"
)

// HandshakeError is why an upgrade was refused (RFC 6455 §4.2.2), or why a server's answer is not one (§4.1). Status is
// what the client was told, or what the server said.
type HandshakeError struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *HandshakeError) Error() string { return "websocket: handshake: " + e.Msg }

// opening is a client's request, as far as the handshake goes.
type opening struct {
	method   string
	major    int // of the version of HTTP
	minor    int
	host     string
	body     bool                       // it has one, or may have
	extended bool                       // an extended CONNECT for WebSocket (RFC 8441)
	values   func(name string) []string // of the fields of that name, in canonical form
}

// websocketOnly is what an extended CONNECT asks for.
var websocketOnly = []string{"websocket"}

// accepted is what the answer says beside the key.
type accepted struct {
	key         string // of the answer; empty for an extended CONNECT
	subprotocol string
	deflate     *deflateParams // nil: not negotiated
}

// refusals of a handshake.
var (
	errMethod    = &HandshakeError{http.StatusMethodNotAllowed, "the method is not GET (RFC 6455 §4.1)"}
	errVersion11 = &HandshakeError{http.StatusUpgradeRequired, "the version is not HTTP/1.1 (RFC 6455 §4.1)"}
	errUpgrade   = &HandshakeError{http.StatusUpgradeRequired, "no Upgrade to websocket (RFC 6455 §4.2.1)"}
	errConnHdr   = &HandshakeError{http.StatusBadRequest, "Connection does not name Upgrade (RFC 6455 §4.2.1)"}
	errKey       = &HandshakeError{http.StatusBadRequest, "Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 §4.2.1)"}
	errVersion   = &HandshakeError{http.StatusUpgradeRequired, "Sec-WebSocket-Version is not 13 (RFC 6455 §4.4)"}
	errBody      = &HandshakeError{http.StatusBadRequest, "an upgrade has no body here"}
	errOrigin    = &HandshakeError{http.StatusForbidden, "the page's origin may not connect (RFC 6455 §10.2)"}
	errChoice    = &HandshakeError{http.StatusInternalServerError, "Config.ChooseSubprotocol chose what the client does not offer (RFC 6455 §4.2.2)"}
	errHijack    = &HandshakeError{http.StatusInternalServerError, "the connection cannot be taken over"}
)

// check holds the opening against what its version of HTTP asks of it (RFC 6455 §4.2.1, RFC 8441 §5).
func (o *opening) check() *HandshakeError {
	if o.extended && o.major == 2 {
		return nil
	}
	o.extended = false
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

// answer decides about an opening (RFC 6455 §4.2).
func (s *settings) answer(o *opening) (accepted, *HandshakeError) {
	if refused := o.check(); refused != nil {
		return accepted{}, refused
	}
	switch {
	case !slices.Equal(o.values("Sec-Websocket-Version"), []string{"13"}):
		return accepted{}, errVersion
	case o.body && !o.extended:
		return accepted{}, errBody
	case !s.allows(o.values("Origin"), o.host):
		return accepted{}, errOrigin
	}
	subprotocol, refused := s.choose(offeredNames(o.values("Sec-Websocket-Protocol")))
	if refused != nil {
		return accepted{}, refused
	}
	deflate, refused := chooseDeflate(o.values("Sec-Websocket-Extensions"), s.Compression)
	if refused != nil {
		return accepted{}, refused
	}
	a := accepted{subprotocol: subprotocol, deflate: deflate}
	if !o.extended {
		a.key = acceptKey(o.values("Sec-Websocket-Key")[0])
	}
	return a, nil
}

// announce sets the fields of an answer to an extended CONNECT (RFC 8441 §5).
func (a *accepted) announce(set func(name, value string)) {
	if a.subprotocol != "" {
		set("Sec-WebSocket-Protocol", a.subprotocol)
	}
	if a.deflate != nil {
		set("Sec-WebSocket-Extensions", string(a.deflate.append(nil)))
	}
}

// appendAnswer appends the head of a 101 (RFC 6455 §4.2.2), nothing for an extended CONNECT, which its server answers. more
// are further fields; the handshake's own stay its own.
func (a *accepted) appendAnswer(dst []byte, more http.Header) []byte {
	if a.key == "" {
		return dst
	}
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

// isHandshakeField reports whether a field of a handshake is not the application's.
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
