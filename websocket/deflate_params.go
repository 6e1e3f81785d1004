package websocket

import (
	"net/http"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// deflateParams are the negotiated parameters of permessage-deflate (RFC 7692 §7.1).
type deflateParams struct {
	server, client deflateSide
}

// deflateSide has the parameters of one end's compressor.
type deflateSide struct {
	noTakeover bool // no_context_takeover: each message is compressed by itself
	bits       int  // size of the window, 8 to 15; 0 if not given, which means 15
}

func (s deflateSide) window() int {
	if s.bits == 0 {
		return deflate.MaxBits
	}
	return s.bits
}

// The names of RFC 7692 §7. They are case-sensitive here.
const (
	permessageDeflate = "permessage-deflate"
	serverNoTakeover  = "server_no_context_takeover"
	clientNoTakeover  = "client_no_context_takeover"
	serverBits        = "server_max_window_bits"
	clientBits        = "client_max_window_bits"
)

// append appends the extension with its parameters, as in an answer (RFC 7692 §5.1).
func (p *deflateParams) append(dst []byte) []byte {
	dst = append(dst, permessageDeflate...)
	dst = p.server.append(dst, serverNoTakeover, serverBits)
	return p.client.append(dst, clientNoTakeover, clientBits)
}

func (s deflateSide) append(dst []byte, fresh, bits string) []byte {
	if s.noTakeover {
		dst = append(append(dst, "; "...), fresh...)
	}
	if s.bits != 0 {
		dst = append(append(append(dst, "; "...), bits...), '=')
		dst = strconv.AppendInt(dst, int64(s.bits), 10)
	}
	return dst
}

// start returns the compressor and the decompressor for role.
func (p *deflateParams) start(role wsframe.Role) (*deflater, *inflater) {
	ours, theirs := p.server, p.client
	if role == wsframe.Client {
		ours, theirs = theirs, ours
	}
	return newDeflater(ours), newInflater(theirs)
}

// readDeflate parses the parameters of an offer or an answer. Only in an offer may client_max_window_bits have no value.
// It returns false for a parameter that is undefined, repeated, or has a value that is not allowed (RFC 7692 §7).
func readDeflate(params []extensionParam, offer bool) (p deflateParams, ok bool) {
	asked := false
	for _, param := range params {
		switch param.name {
		case serverNoTakeover:
			ok = setOnce(&p.server.noTakeover) && !param.valued
		case clientNoTakeover:
			ok = setOnce(&p.client.noTakeover) && !param.valued
		case serverBits:
			ok = p.server.bits == 0 && windowBits(param.value, &p.server.bits)
		case clientBits:
			ok = setOnce(&asked) && (offer && !param.valued || windowBits(param.value, &p.client.bits))
		default:
			ok = false
		}
		if !ok {
			return p, false
		}
	}
	return p, true
}

// setOnce sets flag and reports whether it was not set before.
func setOnce(flag *bool) bool {
	before := *flag
	*flag = true
	return !before
}

// windowBits parses "a decimal integer value without leading zeroes between 8 to 15, inclusive" (RFC 7692 §7.1.2).
func windowBits(value string, bits *int) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < deflate.MinBits || n > deflate.MaxBits || strconv.Itoa(n) != value {
		return false
	}
	*bits = n
	return true
}

// The reasons to refuse a handshake because of its extensions. The first is for a client's request, the others for a
// server's answer.
var (
	errExtensions       = &HandshakeError{http.StatusBadRequest, "malformed Sec-WebSocket-Extensions (RFC 6455 §9.1)"}
	errExtensionsAnswer = &HandshakeError{http.StatusSwitchingProtocols, "malformed Sec-WebSocket-Extensions in the answer (RFC 6455 §9.1)"}
	errExtension        = &HandshakeError{http.StatusSwitchingProtocols, "the server chose an extension that was not offered (RFC 6455 §4.1)"}
	errDeflateAnswer    = &HandshakeError{http.StatusSwitchingProtocols, "the server chose parameters of permessage-deflate that do not fit the offer (RFC 7692 §7.1)"}
)
