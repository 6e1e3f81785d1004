package http2

import "encoding/binary"

// Upgrade makes stream 1 of the request with which an HTTP/1.1 connection was upgraded to this one (RFC 7540 §3.2). On a
// server, settings is the value of the request's HTTP2-Settings field, which is applied without an acknowledgement. The
// client's preface still follows on the connection. The stream is half-closed on the client's side. Upgrade must be the
// first call. If it fails, the HTTP/1.1 connection can go on, and this Conn must not be used.
func (c *Conn) Upgrade(settings string) (*Stream, error) {
	k := &c.core
	if !k.client {
		p, ok := decodeBase64(settings)
		if !ok || len(p)%settingLen != 0 {
			return nil, errUpgrade
		}
		for ; len(p) > 0; p = p[settingLen:] {
			if err := k.applySetting(binary.BigEndian.Uint16(p), binary.BigEndian.Uint32(p[2:])); err != nil {
				return nil, err
			}
		}
		k.accepted = 1
	}
	c.use()
	k.streams.next = 3
	s := k.openStream(1)
	if k.client {
		k.streams.enter(s, phaseSent)
	} else {
		k.streams.enter(s, phaseReceived)
		s.inbound = hasBody
	}
	return s, nil
}

// decodeBase64 decodes base64url without padding (RFC 4648 §5).
func decodeBase64(s string) ([]byte, bool) {
	out := make([]byte, 0, len(s)*3/4)
	bits, n := uint32(0), 0
	for i := range len(s) {
		v := base64Value(s[i])
		if v > 63 {
			return nil, false
		}
		bits, n = bits<<6|uint32(v), n+6
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	// The bits that are left over only pad the last character, and must be zero.
	return out, n < 6 && bits&(1<<n-1) == 0
}

func base64Value(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c - 'A'
	case lower(c):
		return c - 'a' + 26
	case digit(c):
		return c - '0' + 52
	case c == '-':
		return 62
	case c == '_':
		return 63
	}
	return 255
}
