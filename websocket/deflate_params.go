package websocket

import (
	"net/http"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/deflate"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// deflateParams are the parameters of permessage-deflate that both ends have agreed on (RFC 7692 §7.1).
type deflateParams struct {
	server, client deflateSide
}

// deflateSide is how one end compresses.
type deflateSide struct {
	fresh bool // each message without what came before: no_context_takeover
	bits  int  // of the window, 8 to 15; 0: nothing was said, which means 15
}

func (s deflateSide) window() int {
	if s.bits == 0 {
		return deflate.MaxBits
	}
	return s.bits
}

// The names of RFC 7692 §7. They are compared as they are.
const (
	permessageDeflate = "permessage-deflate"
	serverFresh       = "server_no_context_takeover"
	clientFresh       = "client_no_context_takeover"
	serverBits        = "server_max_window_bits"
	clientBits        = "client_max_window_bits"
)

// append appends the answer (RFC 7692 §5.1).
func (p *deflateParams) append(dst []byte) []byte {
	dst = append(dst, permessageDeflate...)
	dst = p.server.append(dst, serverFresh, serverBits)
	return p.client.append(dst, clientFresh, clientBits)
}

func (s deflateSide) append(dst []byte, fresh, bits string) []byte {
	if s.fresh {
		dst = append(append(dst, "; "...), fresh...)
	}
	if s.bits != 0 {
		dst = append(append(append(dst, "; "...), bits...), '=')
		dst = strconv.AppendInt(dst, int64(s.bits), 10)
	}
	return dst
}

// start returns what compresses and decompresses for role.
func (p *deflateParams) start(role wsframe.Role) (*deflater, *inflater) {
	ours, theirs := p.server, p.client
	if role == wsframe.Client {
		ours, theirs = theirs, ours
	}
	return newDeflater(ours), newInflater(theirs)
}

// readDeflate reads the parameters of an offer or an answer; client_max_window_bits may be without a value in offers
// alone. It returns false for a parameter that is not defined, comes twice, or has a value that it must not have (RFC
// 7692 §7).
func readDeflate(params []extensionParam, offer bool) (p deflateParams, ok bool) {
	asked := false
	for _, param := range params {
		switch param.name {
		case serverFresh:
			ok = once(&p.server.fresh) && !param.valued
		case clientFresh:
			ok = once(&p.client.fresh) && !param.valued
		case serverBits:
			ok = p.server.bits == 0 && windowBits(param.value, &p.server.bits)
		case clientBits:
			ok = once(&asked) && (offer && !param.valued || windowBits(param.value, &p.client.bits))
		default:
			ok = false
		}
		if !ok {
			return p, false
		}
	}
	return p, true
}

// once sets flag and reports whether it was not set before.
func once(flag *bool) bool {
	before := *flag
	*flag = true
	return !before
}

// windowBits reads "a decimal integer value without leading zeroes between 8 to 15, inclusive" (RFC 7692 §7.1.2).
func windowBits(value string, bits *int) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < deflate.MinBits || n > deflate.MaxBits || strconv.Itoa(n) != value {
		return false
	}
	*bits = n
	return true
}

// refusals of a handshake for its extensions: of a client's, and of a server's.
var (
	errExtensions       = &HandshakeError{http.StatusBadRequest, "malformed Sec-WebSocket-Extensions (RFC 6455 §9.1)"}
	errExtensionsAnswer = &HandshakeError{http.StatusSwitchingProtocols, "malformed Sec-WebSocket-Extensions in the answer (RFC 6455 §9.1)"}
	errExtension        = &HandshakeError{http.StatusSwitchingProtocols, "the server chose an extension that was not offered (RFC 6455 §4.1)"}
	errDeflateAnswer    = &HandshakeError{http.StatusSwitchingProtocols, "the server chose parameters of permessage-deflate that do not fit the offer (RFC 7692 §7.1)"}
)
