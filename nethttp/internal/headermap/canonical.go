// Package headermap turns the lines of a message into the map that net/http has for them, and back into lines: canonical
// names, memory that the strings of several heads share, and the order in which lines are sent.
package headermap

import (
	"net/textproto"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

const (
	smallLetters = "abcdefghijklmnopqrstuvwxyz"
	capitals     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	otherBytes   = "!#$%&'*+-.^_`|~0123456789"
)

// tokenBytes is the set of bytes allowed in a field name (RFC 9110 §5.6.2). firstBytes and innerBytes are those of the
// canonical form: the bytes that may begin a word of it, and those that may be within one.
var (
	tokenBytes = ByteSet(smallLetters + capitals + otherBytes)
	firstBytes = ByteSet(capitals + otherBytes)
	innerBytes = ByteSet(smallLetters + otherBytes)
)

// Field is a field that is common, or treated specially.
type Field struct {
	Key, Lower string         // its name in canonical form, and in lower case
	Kind       fieldkind.Kind // in a response of the server
	Class      Class          // in a request of the Transport
}

// knownFields holds the known fields, and Unknown is any other one.
var (
	Unknown     = new(Field)
	knownFields = known(
		"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Accept-Ranges", "Access-Control-Allow-Origin",
		"Age", "Allow", "Alt-Svc", "Authorization", "Cache-Control", "Connection", "Content-Disposition",
		"Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Range",
		"Content-Security-Policy", "Content-Type", "Cookie", "Date", "Dnt", "Etag", "Expect", "Expires", "Forwarded",
		"From", "Host", "Http2-Settings", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
		"If-Unmodified-Since", "Keep-Alive", "Last-Event-Id", "Last-Modified", "Link", "Location", "Max-Forwards",
		"Origin", "Pragma", "Priority", "Proxy-Authorization", "Proxy-Connection", "Range", "Referer", "Referrer-Policy",
		"Retry-After", "Sec-Ch-Ua", "Sec-Ch-Ua-Mobile", "Sec-Ch-Ua-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode",
		"Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc", "Sec-Websocket-Extensions", "Sec-Websocket-Key",
		"Sec-Websocket-Protocol", "Sec-Websocket-Version", "Server", "Set-Cookie", "Strict-Transport-Security", "Te",
		"Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests", "User-Agent",
		"Vary", "Via", "Www-Authenticate", "X-Api-Key", "X-Content-Type-Options", "X-Correlation-Id", "X-Csrf-Token",
		"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Frame-Options",
		"X-Powered-By", "X-Real-Ip", "X-Request-Id", "X-Requested-With",
	)
)

func known(keys ...string) (fields []*Field) {
	for _, key := range keys {
		fields = append(fields, &Field{key, strings.ToLower(key), fieldkind.Of([]byte(key)), classOf(key)})
	}
	return fields
}

// fieldAt holds the known field with each slot.
var fieldAt = func() (at [256]*Field) {
	for i := range at {
		at[i] = Unknown
	}
	for _, f := range knownFields {
		at[slot(f.Key)] = f
	}
	return at
}()

// slot returns a number that is the same for all spellings of name, which has two bytes or more. The factors are chosen
// so that no two known fields have the same.
func slot(name string) uint8 {
	n := len(name)
	return (name[0]|0x20)*7 + (name[n-2]|0x20)*17 + (name[n-1]|0x20)*38 + uint8(n)*23
}

// FieldOf returns the known field that name is a spelling of, or Unknown.
func FieldOf(name string) *Field {
	if len(name) < 2 {
		return Unknown
	}
	f := fieldAt[slot(name)]
	if f.Key == name {
		return f
	}
	return f.orUnknown(name)
}

// orUnknown returns f if name is a spelling of its name, or Unknown.
func (f *Field) orUnknown(name string) *Field {
	if len(f.Key) == len(name) && strings.EqualFold(f.Key, name) {
		return f
	}
	return Unknown
}

// CanonicalKey returns the canonical form of name, as net/http uses it in a Header map. It does not allocate if name
// is canonical already or is that of a known field.
func CanonicalKey(name string) string {
	if f := FieldOf(name); f != Unknown {
		return f.Key
	}
	if isCanonical(name) {
		return name
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

// LowerKey returns name in lower case.
func LowerKey(name string) string {
	if f := FieldOf(name); f != Unknown {
		return f.Lower
	}
	return strings.ToLower(name)
}

// isCanonical reports whether name is a token in which a letter is a capital exactly if it begins a word.
func isCanonical(name string) bool {
	allowed := &firstBytes
	for i := range len(name) {
		c := name[i]
		if !allowed[c] {
			return false
		}
		if allowed = &innerBytes; c == '-' {
			allowed = &firstBytes
		}
	}
	return true
}

// IsToken reports whether s is a token (RFC 9110 §5.6.2).
func IsToken(s string) bool {
	if FieldOf(s) != Unknown {
		return true
	}
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}
