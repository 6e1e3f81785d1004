// Package target parses the URLs of requests. It refuses what cannot be sent as it is, and repairs nothing.
package target

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Target is a parsed URL. Its strings are slices of the URL where possible.
type Target struct {
	Text    string // the URL that was parsed
	Secure  bool   // https
	User    string // userinfo, percent-encoded
	HasUser bool   // the URL has userinfo
	Host    string // host and port as they are sent: in ASCII, without a zone
	Key     string // host in lower case, with its zone, and the port unless it is the scheme's
	Path    string // may be empty
	Query   string // including its question mark
}

// Scheme returns the URL's scheme.
func (t *Target) Scheme() string {
	if t.Secure {
		return "https"
	}
	return "http"
}

// PathOrSlash returns the path, or "/" if that is empty.
func (t *Target) PathOrSlash() string {
	if t.Path == "" {
		return "/"
	}
	return t.Path
}

// Parse parses url. It refuses a URL that cannot be sent as it is, and repairs nothing.
func (t *Target) Parse(url string) error {
	if t.Text == url && url != "" {
		return nil
	}
	*t = Target{}
	rest, ok := cutPrefix(url, "https://")
	if t.Secure = ok; !ok {
		if rest, ok = cutPrefix(url, "http://"); !ok {
			return errors.New("the URL does not begin with http:// or https://")
		}
	}
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		rest = rest[:i]
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	if err := t.parseAuthority(rest[:end]); err != nil {
		return err
	}
	if err := t.parsePath(rest[end:]); err != nil {
		return err
	}
	t.Text = url
	return nil
}

// cutPrefix is strings.CutPrefix that ignores the case of ASCII letters. prefix must be in lower case.
func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !ascii.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// parsePath parses the path and the query, which must only contain bytes that can be sent (RFC 3986 §3.3, §3.4).
func (t *Target) parsePath(s string) error {
	for i := range len(s) {
		if !ascii.Is(s[i], ascii.Target) {
			return errors.New("a byte in the URL must be percent-encoded")
		}
	}
	t.Path = s
	if i := strings.IndexByte(s, '?'); i >= 0 {
		t.Path, t.Query = s[:i], s[i:]
	}
	if !escaped(t.Path) {
		return errors.New("invalid percent-encoding in the URL's path")
	}
	return nil
}

// escaped reports whether every percent sign of s begins a percent-encoded byte (RFC 3986 §2.1).
func escaped(s string) bool {
	for i := strings.IndexByte(s, '%'); i >= 0; i = strings.IndexByte(s, '%') {
		if len(s) < i+3 || !ascii.Is(s[i+1], ascii.Hex) || !ascii.Is(s[i+2], ascii.Hex) {
			return false
		}
		s = s[i+3:]
	}
	return true
}

// parseAuthority parses [ userinfo "@" ] host [ ":" port ] (RFC 3986 §3.2).
func (t *Target) parseAuthority(s string) error {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		t.User, t.HasUser, s = s[:i], true, s[i+1:]
		if err := checkUser(t.User); err != nil {
			return err
		}
	}
	host, port, err := SplitPort(s)
	if err != nil {
		return err
	}
	return t.setHost(host, port, s)
}

// setHost sets t.Host and t.Key. s begins with host and port.
func (t *Target) setHost(host, port, s string) (err error) {
	s = s[:len(host)+len(port)]
	sent := s // as it is sent
	switch {
	case host == "":
		return errors.New("the URL has no host")
	case host[0] == '[':
		if sent, err = checkLiteral(host, port); err != nil {
			return err
		}
	default:
		if host, err = checkName(host); err != nil {
			return err
		}
		if len(host)+len(port) != len(s) || s[:len(host)] != host {
			s = host + port
			sent = s
		}
	}
	if own := t.defaultPort(); port == own {
		s = s[:len(s)-len(own)]
	}
	t.Host, t.Key = sent, lower(s)
	return nil
}

// defaultPort returns the scheme's port, with a colon.
func (t *Target) defaultPort() string {
	if t.Secure {
		return ":443"
	}
	return ":80"
}

// lower is strings.ToLower that scans a string only once if it is in lower case already.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// SplitPort splits s into host and port. The port includes its colon; an empty port counts as none (RFC 3986 §3.2.3).
func SplitPort(s string) (host, port string, err error) {
	at := strings.LastIndexByte(s, ':')
	if at < strings.LastIndexByte(s, ']') {
		at = -1
	}
	if at < 0 {
		return s, "", nil
	}
	if host, port = s[:at], s[at:]; port == ":" {
		return host, "", nil
	}
	n := 0
	for i := 1; i < len(port); i++ {
		if !ascii.Is(port[i], ascii.Digit) || n > 65535 {
			return "", "", errPort
		}
		n = n*10 + int(port[i]-'0')
	}
	if n == 0 || n > 65535 {
		return "", "", errPort
	}
	return host, port, nil
}

var errPort = errors.New("the URL has an invalid port")

// checkName checks a host name and returns it in ASCII. A percent-encoded name is refused, since it would be another way
// to write the same host (RFC 9110 §4.2.3).
func checkName(host string) (string, error) {
	if !utf8.ValidString(host) {
		return "", errors.New("the URL's host is not UTF-8")
	}
	name, err := dial.ASCII(host)
	if err != nil {
		return "", errors.New("the URL has an invalid host: " + err.Error())
	}
	for i := range len(name) {
		if !ascii.Is(name[i], ascii.RegName) {
			return "", errors.New("invalid byte in the URL's host")
		}
	}
	return name, nil
}

// checkLiteral checks an IPv6 address in brackets and returns it with its port but without its zone, which is only
// meaningful on this machine (RFC 6874 §4).
func checkLiteral(host, port string) (sent string, err error) {
	sent = host
	if i := strings.IndexByte(host, '%'); i >= 0 {
		zone := strings.TrimSuffix(host[i:], "]")
		if len(zone) < 2 || zone == "%25" || !http1.ValidToken([]byte(zone)) {
			return "", errLiteral
		}
		sent = host[:i] + "]"
	}
	if !strings.HasSuffix(host, "]") || !http1.ValidHost([]byte(sent)) || sent[1]|0x20 == 'v' {
		return "", errLiteral
	}
	return sent + port, nil
}

var errLiteral = errors.New("the URL has an invalid IPv6 address")

// checkUser checks userinfo (RFC 3986 §3.2.1). Bytes that are not allowed there must be percent-encoded, and decoded they
// must be allowed in Basic authentication (RFC 7617 §2).
func checkUser(s string) error {
	if !escaped(s) {
		return errUser
	}
	colon := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ':':
			colon = true
		case c == '%':
			hi, _ := ascii.HexValue(s[i+1])
			lo, _ := ascii.HexValue(s[i+2])
			if i += 2; hi<<4|lo < ' ' || hi<<4|lo == 0x7f || hi<<4|lo == ':' && !colon {
				return errUser
			}
		case !ascii.Is(c, ascii.RegName):
			return errUser
		}
	}
	return nil
}

var errUser = errors.New("the URL's userinfo is invalid or not percent-encoded")

// AppendLogin appends the decoded userinfo as Basic authentication has it: always with a colon (RFC 7617 §2).
func (t *Target) AppendLogin(dst []byte) []byte {
	s, colon := t.User, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			hi, _ := ascii.HexValue(s[i+1])
			lo, _ := ascii.HexValue(s[i+2])
			c = hi<<4 | lo
			i += 2
		} else if c == ':' {
			colon = true
		}
		dst = append(dst, c)
	}
	if !colon {
		dst = append(dst, ':')
	}
	return dst
}

// URL returns the target as package url has it, nil if that cannot parse it. The fragment is cut off: it is never sent, and
// package url may refuse it.
func (t *Target) URL() *url.URL {
	text, _, _ := strings.Cut(t.Text, "#")
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return u
}

// DialHost returns a URL's host as it is dialled: without brackets, and with a zone as the system writes it.
func DialHost(host string) string {
	if !strings.HasPrefix(host, "[") {
		return host
	}
	return strings.Replace(host[1:len(host)-1], "%25", "%", 1)
}
