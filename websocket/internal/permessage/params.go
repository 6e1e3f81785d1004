package permessage

import (
	"strconv"

	"github.com/shockwave-go/shockwave/internal/compress/deflate"
)

// Params are the negotiated parameters of permessage-deflate (RFC 7692 §7.1).
type Params struct {
	FromServer, FromClient Side
}

// Side has the parameters of one end's compressor.
type Side struct {
	NoTakeover bool // no_context_takeover: each message is compressed by itself
	Bits       int  // size of the window, 8 to 15; 0 if not given, which means 15
}

func (s Side) window() int {
	if s.Bits == 0 {
		return deflate.MaxBits
	}
	return s.Bits
}

// The names of RFC 7692 §7. They are case-sensitive here.
const (
	Name = "permessage-deflate"

	serverNoTakeover = "server_no_context_takeover"
	clientNoTakeover = "client_no_context_takeover"
	serverBits       = "server_max_window_bits"
	clientBits       = "client_max_window_bits"
)

// Append appends the extension with its parameters, as in a response (RFC 7692 §5.1).
func (p *Params) Append(dst []byte) []byte {
	dst = append(dst, Name...)
	dst = p.FromServer.append(dst, serverNoTakeover, serverBits)
	return p.FromClient.append(dst, clientNoTakeover, clientBits)
}

func (s Side) append(dst []byte, fresh, bits string) []byte {
	if s.NoTakeover {
		dst = append(append(dst, "; "...), fresh...)
	}
	if s.Bits != 0 {
		dst = append(append(append(dst, "; "...), bits...), '=')
		dst = strconv.AppendInt(dst, int64(s.Bits), 10)
	}
	return dst
}

// readDeflate parses the parameters of an offer or a response. Only in an offer may client_max_window_bits have no value.
// It returns false for a parameter that is undefined, repeated, or has a value that is not allowed (RFC 7692 §7).
func readDeflate(params []extensionParam, offer bool) (p Params, ok bool) {
	asked := false
	for _, param := range params {
		switch param.name {
		case serverNoTakeover:
			ok = setOnce(&p.FromServer.NoTakeover) && !param.valued
		case clientNoTakeover:
			ok = setOnce(&p.FromClient.NoTakeover) && !param.valued
		case serverBits:
			ok = p.FromServer.Bits == 0 && windowBits(param.value, &p.FromServer.Bits)
		case clientBits:
			ok = setOnce(&asked) && (offer && !param.valued || windowBits(param.value, &p.FromClient.Bits))
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
