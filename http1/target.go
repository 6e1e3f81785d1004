package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// TargetForm is the form of a request-target (RFC 9112 §3.2).
type TargetForm uint8

const (
	OriginForm    TargetForm = iota // "/where?q=now"
	AbsoluteForm                    // "http://host/where?q=now"
	AuthorityForm                   // "host:80", CONNECT only
	AsteriskForm                    // "*", OPTIONS only
)

// splitTarget sets r.Method and r.Target to their bytes in b, and splits the target (RFC 9112 §3.2).
func (r *Request) splitTarget(b []byte) *Error {
	r.Method = b[:r.methodEnd:r.methodEnd]
	r.Target = b[r.methodEnd+1 : r.targetEnd : r.targetEnd]
	switch {
	case string(r.Method) == "CONNECT" && !(r.TunnelPaths && r.Target[0] == '/'):
		if !validHostPort(r.Target) {
			return errConnect
		}
		r.Form, r.Authority = AuthorityForm, r.Target
		return nil
	case r.Target[0] == '/':
		r.Form = OriginForm
		return r.splitPath(r.Target)
	case string(r.Target) == "*":
		if string(r.Method) != "OPTIONS" {
			return errAsterisk
		}
		r.Form, r.Path = AsteriskForm, r.Target
		return nil
	}
	return r.splitAbsolute()
}

// splitAbsolute reads scheme "://" authority path-abempty [ "?" query ]. An http URI without a host is invalid.
// Userinfo is refused because no client should send it (RFC 9110 §4.2.1, §4.2.4).
func (r *Request) splitAbsolute() *Error {
	colon := bytes.IndexByte(r.Target, ':')
	if colon <= 0 {
		return errTargetForm
	}
	scheme, rest := r.Target[:colon:colon], r.Target[colon+1:]
	if !ascii.EqualFold(scheme, "http") && !ascii.EqualFold(scheme, "https") {
		return errTargetScheme
	}
	if len(rest) < 2 || rest[0] != '/' || rest[1] != '/' {
		return errTargetForm
	}
	rest = rest[2:]
	end := bytes.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	switch authority := rest[:end]; {
	case end == 0 || !ValidHost(authority):
		return errTargetHost
	case bytes.IndexByte(authority, '%') >= 0:
		// RFC 9110 §4.2.3: an escape is another spelling of the same host, which code that compares hosts may not know.
		return errHostEscape
	case authority[0] == '[' && authority[1]|0x20 == 'v':
		// RFC 3986 §3.2.2: an address whose version is unknown is an error, and no version is known.
		return errHostFuture
	}
	r.Form, r.Scheme, r.Authority = AbsoluteForm, scheme, rest[:end:end]
	return r.splitPath(rest[end:])
}

// splitPath splits s at the first question mark. The query is not checked: browsers send unescaped percent signs in it,
// and recipients cannot disagree about the end of the message because of it.
func (r *Request) splitPath(s []byte) *Error {
	r.Path = s
	if i := bytes.IndexByte(s, '?'); i >= 0 {
		r.Path, r.Query, r.HasQuery = s[:i:i], s[i+1:], true
	}
	if i := bytes.IndexByte(r.Path, '%'); i >= 0 && !validEscapes(r.Path[i:]) {
		return errTargetEscape
	}
	return nil
}

// validEscapes reports whether every percent sign of s begins a percent-encoded byte (RFC 3986 §2.1).
func validEscapes(s []byte) bool {
	for {
		i := bytes.IndexByte(s, '%')
		if i < 0 {
			return true
		}
		if len(s) < i+3 || !ascii.Is(s[i+1], ascii.Hex) || !ascii.Is(s[i+2], ascii.Hex) {
			return false
		}
		s = s[i+3:]
	}
}
