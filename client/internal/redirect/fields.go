package redirect

import (
	"net/url"
	"strings"
)

// IsCredential reports whether a field of the program's own must only be sent to the first host and its subdomains (RFC
// 9110 §15.4). It is omitted if Hop.Credentials is false. The jar's cookies are not concerned: each has its own host.
func IsCredential(name string) bool {
	return isOneOf(name, "Authorization", "Www-Authenticate", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate")
}

// IsAboutBody reports whether a field describes the request's body. It is omitted if Hop.Body is false although the first
// request had a body (RFC 9110 §15.4, and the Fetch standard).
func IsAboutBody(name string) bool {
	return isOneOf(name, "Content-Encoding", "Content-Language", "Content-Location", "Content-Type")
}

func isOneOf(name string, names ...string) bool {
	for _, n := range names {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// Referer returns the Referer for a request after a redirect, or "" for none. It is the program's own, or the URL of the
// previous request without userinfo and fragment (RFC 9110 §10.1.3). After a request over TLS there is none for one
// without TLS.
func Referer(from, to *url.URL, own string) string {
	if from.Scheme == "https" && to.Scheme == "http" {
		return ""
	}
	if own != "" {
		return own
	}
	bare := *from
	bare.User = nil
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}
