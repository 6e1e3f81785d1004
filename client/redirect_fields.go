package client

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// isCredential reports whether a field of the program's own is only for the host that it was meant for, and for those below
// it (RFC 9110 §15.4): it is not sent where hop.credentials is false. The cookies of a jar are not meant: they have
// hosts of their own.
func isCredential(name string) bool {
	return isOneOf(name, "Authorization", "Www-Authenticate", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate")
}

// isAboutBody reports whether a field is about the request's body, and is not sent where hop.body is false though the first
// request had one (RFC 9110 §15.4, as the Fetch standard has it).
func isAboutBody(name string) bool {
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

// referer returns the Referer of the request behind a redirect from one URL to another, "" for none: one of the program's
// own, or the last request's URL without user and fragment (RFC 9110 §10.1.3). Nothing of what was asked for over TLS is
// told without it.
func referer(from, to *url.URL, own string) string {
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

// authorization returns the Authorization that a URL's user asks for (RFC 7617 §2), "" if it names none. It is sent where
// the program gives no Authorization of its own. A Location may name a user, and a relative one has that of its target.
func authorization(u *url.URL) string {
	if u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
}
