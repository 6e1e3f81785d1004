// Package altsvc holds what servers say of where else, and in which protocol, they can be reached (RFC 7838).
package altsvc

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http1"
)

// Alternative is one alternative service.
type Alternative struct {
	Protocol string // its name in ALPN
	Host     string // empty means that of the origin
	Port     uint16
	MaxAge   time.Duration // how long it may be used
}

// The bounds of MaxAge.
const (
	defaultAge = 24 * time.Hour // RFC 7838 §3.1
	maxAge     = 365 * 24 * time.Hour
)

var errMalformed = errors.New("altsvc: malformed Alt-Svc field")

// Parse parses the value of an Alt-Svc field (RFC 7838 §3): its alternatives in the server's order of preference, or none with
// clear if all that were known are to be forgotten. Parameters that are not known are ignored.
func Parse(value string) (alts []Alternative, clear bool, err error) {
	if value == "clear" {
		return nil, true, nil
	}
	p := parser{value}
	for {
		p.space()
		if p.s == "" {
			return alts, false, nil
		}
		if p.accept(',') {
			continue // an empty element (RFC 9110 §5.6.1)
		}
		a, ok := p.alternative()
		if !ok || p.s != "" && !p.accept(',') {
			return nil, false, errMalformed
		}
		alts = append(alts, a)
	}
}

// parser is what is left of a value.
type parser struct{ s string }

// alternative takes an alternative with its parameters and the white space behind them.
func (p *parser) alternative() (a Alternative, ok bool) {
	a.MaxAge = defaultAge
	id, ok := p.token()
	if !ok || !p.accept('=') {
		return a, false
	}
	if a.Protocol, ok = unescape(id); !ok {
		return a, false
	}
	authority, ok := p.quoted()
	if !ok || !a.setAuthority(authority) {
		return a, false
	}
	for p.space(); p.accept(';'); p.space() {
		p.space()
		name, ok := p.token()
		if !ok || !p.accept('=') {
			return a, false
		}
		value, ok := p.quoted()
		if !ok {
			value, ok = p.token()
		}
		if !ok || strings.EqualFold(name, "ma") && !a.setAge(value) {
			return a, false
		}
	}
	return a, true
}

// setAuthority sets the host and the port.
func (a *Alternative) setAuthority(s string) bool {
	at := strings.LastIndexByte(s, ':')
	if at < 0 {
		return false
	}
	port, err := strconv.ParseUint(s[at+1:], 10, 16)
	if err != nil || port == 0 || s[at+1] == '+' {
		return false
	}
	a.Host, a.Port = strings.ToLower(s[:at]), uint16(port)
	return a.Host == "" || http1.ValidHost([]byte(a.Host)) && !strings.ContainsRune(a.Host[strings.IndexByte(a.Host, ']')+1:], ':')
}

// setAge sets MaxAge to a number of seconds.
func (a *Alternative) setAge(s string) bool {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > uint64(maxAge/time.Second) {
		a.MaxAge = maxAge // RFC 9111 §1.2.2
		return true
	}
	a.MaxAge = time.Duration(n) * time.Second
	return true
}

func (p *parser) space() { p.s = strings.TrimLeft(p.s, " \t") }

// accept takes c if it is next.
func (p *parser) accept(c byte) bool {
	if p.s == "" || p.s[0] != c {
		return false
	}
	p.s = p.s[1:]
	return true
}

// token takes a token (RFC 9110 §5.6.2).
func (p *parser) token() (string, bool) {
	n := 0
	for n < len(p.s) && http1.ValidToken([]byte{p.s[n]}) {
		n++
	}
	t := p.s[:n]
	p.s = p.s[n:]
	return t, n > 0
}

// quoted takes a quoted string (RFC 9110 §5.6.4). If none is next it takes nothing.
func (p *parser) quoted() (string, bool) {
	if p.s == "" || p.s[0] != '"' {
		return "", false
	}
	var text strings.Builder
	for i := 1; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.s = p.s[i+1:]
			return text.String(), true
		case c == '\\' && i+1 < len(p.s):
			i++
			text.WriteByte(p.s[i])
		default:
			text.WriteByte(c)
		}
	}
	return "", false
}

// unescape replaces the escapes of a protocol's name.
func unescape(id string) (string, bool) {
	if strings.IndexByte(id, '%') < 0 {
		return id, true
	}
	var name strings.Builder
	for i := 0; i < len(id); i++ {
		if id[i] != '%' {
			name.WriteByte(id[i])
			continue
		}
		if i+2 >= len(id) {
			return "", false
		}
		n, err := strconv.ParseUint(id[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		name.WriteByte(byte(n))
		i += 2
	}
	return name.String(), true
}
