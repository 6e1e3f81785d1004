package nethttp

import "net/textproto"

const (
	smallLetters = "abcdefghijklmnopqrstuvwxyz"
	capitals     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	otherBytes   = "!#$%&'*+-.^_`|~0123456789"
)

// tokenBytes is the set of bytes allowed in a field name (RFC 9110 §5.6.2). firstBytes and innerBytes are those of the
// canonical form: the bytes that may begin a word of it, and those that may be within one.
var (
	tokenBytes = byteSet(smallLetters + capitals + otherBytes)
	firstBytes = byteSet(capitals + otherBytes)
	innerBytes = byteSet(smallLetters + otherBytes)
)

// commonKeys maps names that browsers, proxies and other libraries often send in lower case to their canonical form.
var commonKeys = keysByLower(
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
	"Content-Disposition", "Content-Encoding", "Content-Language", "Content-Length", "Content-Range", "Content-Type",
	"Cookie", "Date", "Dnt", "Expect", "Forwarded", "From", "Host", "If-Match", "If-Modified-Since", "If-None-Match",
	"If-Range", "If-Unmodified-Since", "Keep-Alive", "Last-Event-Id", "Max-Forwards", "Origin", "Pragma", "Priority",
	"Proxy-Authorization", "Proxy-Connection", "Range", "Referer", "Sec-Ch-Ua", "Sec-Ch-Ua-Mobile",
	"Sec-Ch-Ua-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc",
	"Sec-Websocket-Extensions", "Sec-Websocket-Key", "Sec-Websocket-Protocol", "Sec-Websocket-Version", "Te",
	"Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests", "User-Agent",
	"Via", "X-Api-Key", "X-Correlation-Id", "X-Csrf-Token", "X-Forwarded-For", "X-Forwarded-Host",
	"X-Forwarded-Port", "X-Forwarded-Proto", "X-Real-Ip", "X-Request-Id", "X-Requested-With",
)

// longestCommon is the length of the longest name that is looked up in commonKeys.
const longestCommon = 32

func keysByLower(keys ...string) map[string]string {
	m := make(map[string]string, len(keys))
	for _, k := range keys {
		var lower [longestCommon]byte
		m[string(lower[:copyLower(&lower, k)])] = k
	}
	return m
}

// copyLower writes name in lower case to dst and returns its length. name must fit into dst.
func copyLower(dst *[longestCommon]byte, name string) int {
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst[i] = c
	}
	return len(name)
}

// canonicalKey returns the canonical form of name, as net/http uses it in a Header map. It does not allocate if name
// is canonical already or is a common name.
func canonicalKey(name string) string {
	if isCanonical(name) {
		return name
	}
	if len(name) <= longestCommon {
		var lower [longestCommon]byte
		if key, ok := commonKeys[string(lower[:copyLower(&lower, name)])]; ok {
			return key
		}
	}
	return textproto.CanonicalMIMEHeaderKey(name)
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
