package permessage

import (
	"strings"

	"github.com/shockwave-go/shockwave/http1"
)

// extension is one element of Sec-WebSocket-Extensions (RFC 6455 §9.1).
type extension struct {
	name   string
	params []extensionParam
}

// extensionParam is a parameter of an extension. The quotes of a quoted value have been removed.
type extensionParam struct {
	name, value string
	valued      bool // it has a value
}

// parseExtensions parses the lines of the field, which form one list. It returns false if they do not match the grammar;
// the handshake fails then: "the recipient of such malformed data MUST immediately _Fail the WebSocket Connection_" (RFC
// 6455 §9.1). Elements may be empty (RFC 2616 §2.1), but not all of them.
func parseExtensions(lines []string) (list []extension, ok bool) {
	for _, line := range lines {
		s := extensionScanner(line)
		for {
			s.space()
			if s != "" && s[0] != ',' {
				e, ok := s.extension()
				if !ok {
					return nil, false
				}
				list = append(list, e)
			}
			if s == "" {
				break
			}
			if !s.skip(',') {
				return nil, false
			}
		}
	}
	return list, len(list) > 0 || len(lines) == 0
}

// extensionScanner is the unread rest of a line.
type extensionScanner string

// extension reads an element, up to the next comma or the end.
func (s *extensionScanner) extension() (e extension, ok bool) {
	if e.name, ok = s.token(); !ok {
		return e, false
	}
	for s.skip(';') {
		var p extensionParam
		if p.name, ok = s.token(); !ok {
			return e, false
		}
		if p.valued = s.skip('='); p.valued {
			if p.value, ok = s.value(); !ok {
				return e, false
			}
		}
		e.params = append(e.params, p)
	}
	return e, true
}

// space skips blanks, which may stand between any two tokens (RFC 2616 §2.1).
func (s *extensionScanner) space() { *s = extensionScanner(strings.TrimLeft(string(*s), " \t")) }

// skip skips c and the blanks around it, and reports whether c was there.
func (s *extensionScanner) skip(c byte) bool {
	s.space()
	if *s == "" || (*s)[0] != c {
		return false
	}
	*s = (*s)[1:]
	s.space()
	return true
}

// token reads a token (RFC 2616 §2.2).
func (s *extensionScanner) token() (string, bool) {
	end := strings.IndexAny(string(*s), "\t \",;=\\")
	if end < 0 {
		end = len(*s)
	}
	token := string((*s)[:end])
	*s = (*s)[end:]
	return token, http1.ValidToken([]byte(token))
}

// value reads a token or a quoted string: "the value after quoted-string unescaping MUST conform to the 'token' ABNF"
// (RFC 6455 §9.1).
func (s *extensionScanner) value() (string, bool) {
	if *s == "" || (*s)[0] != '"' {
		return s.token()
	}
	var value []byte
	for i := 1; i < len(*s); i++ {
		switch c := (*s)[i]; c {
		case '"':
			*s = (*s)[i+1:]
			return string(value), http1.ValidToken(value)
		case '\\':
			if i++; i == len(*s) {
				return "", false
			}
			value = append(value, (*s)[i])
		default:
			value = append(value, c)
		}
	}
	return "", false
}
