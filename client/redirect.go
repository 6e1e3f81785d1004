package client

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/internal/dial"
)

// defaultRedirects is how many redirects are followed by default. net/http's Client stops at its tenth; this is followed.
const defaultRedirects = 10

var (
	errRedirects = errors.New("too many redirects")
	errLocation  = errors.New("a Location that is not followed")
)

// redirects is the way of one request from redirect to redirect (RFC 9110 §15.4), by the rules of net/http's Client. It
// does no I/O: a response's status and Location go in, what to send next comes out. It belongs to one goroutine at a time.
type redirects struct {
	first    *url.URL
	last     hop
	followed int
	limit    int // how many are followed
}

// hop is a request of a redirects. What one of them has dropped, those behind it do not have either: who redirects may
// have written where later redirects lead.
type hop struct {
	method string
	url    *url.URL
	// body tells that the first request's body, if it has one, is sent again, and the fields that isAboutBody names.
	body bool
	// credentials tells that the fields which isCredential names are sent.
	credentials bool
	// ownHost tells that a Host which was given for the first request holds for this one.
	ownHost bool
}

// newRedirects returns the way of a request that no redirect has led to. limit is how many are followed; none if it is
// negative. first is not changed.
func newRedirects(method string, first *url.URL, limit int) redirects {
	return redirects{first: first, last: hop{method, first, true, true, true}, limit: limit}
}

// next returns the request that a response asks for. With nil and no error there is none, and the response is the answer:
// its status is no redirect that is followed, it has no Location, a body would have to be sent again that cannot be had
// again, or the limit is negative. An error says that the redirect may not be followed.
//
// stuck tells that the first request has a body that cannot be sent twice. As in net/http this ends the way at any 307
// and 308, also behind a redirect that has dropped the body.
func (r *redirects) next(status int, location string, stuck bool) (*hop, error) {
	method, keep, ok := redirected(r.last.method, status)
	if !ok || r.limit < 0 || location == "" || keep && stuck {
		return nil, nil
	}
	to, here, err := locate(r.last.url, location)
	if err != nil {
		return nil, err
	}
	if r.followed >= r.limit {
		return nil, fmt.Errorf("%w: %d were followed", errRedirects, r.followed)
	}
	r.followed++
	r.last = hop{
		method:      method,
		url:         to,
		body:        r.last.body && keep,
		credentials: r.last.credentials && sameSite(r.first, to),
		ownHost:     r.last.ownHost && here,
	}
	h := r.last
	return &h, nil
}

// redirected returns the method with which a redirect of a request is followed, and whether the body goes with it; ok is
// false if status is no redirect that is followed. 303 always asks for GET, or HEAD (RFC 9110 §15.4.4). 301 and 302 may
// (§15.4.2, §15.4.3), and as in net/http they do for all methods, not only for POST. 307 and 308 change nothing (§15.4.8,
// §15.4.9). 300, 304, 305 and 306 are for the caller.
func redirected(method string, status int) (next string, body, ok bool) {
	switch status {
	case 301, 302, 303:
		if method != "GET" && method != "HEAD" {
			method = "GET"
		}
		return method, false, true
	case 307, 308:
		return method, true, true
	}
	return "", false, false
}

// locate returns where a Location leads, which is relative to the request's target (RFC 9110 §10.2.2), and whether it
// names no host. Without a fragment of its own it inherits the target's. Only http and https are followed: no server is
// to have a client open anything else.
func locate(from *url.URL, location string) (to *url.URL, here bool, err error) {
	ref, err := url.Parse(location)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errLocation, withoutText(err))
	}
	to = from.ResolveReference(ref)
	switch {
	case to.Scheme != "http" && to.Scheme != "https":
		return nil, false, fmt.Errorf("%w: its scheme is %q", errLocation, to.Scheme)
	case to.Hostname() == "":
		return nil, false, fmt.Errorf("%w: it names no host", errLocation)
	}
	if !strings.Contains(location, "#") {
		to.Fragment, to.RawFragment = from.Fragment, from.RawFragment
	}
	return to, ref.Host == "" && ref.Scheme == "", nil
}

// withoutText returns err without the URL that it is about, which may hold a password.
func withoutText(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// sameSite reports whether to may have what was meant for from: it is the same host, on whatever port and scheme, or below
// it. This is net/http's rule.
func sameSite(from, to *url.URL) bool {
	if from.Host == to.Host {
		return true
	}
	host, below := asciiHost(from), asciiHost(to)
	if host == below {
		return true
	}
	// An address is below none: within an IPv6 zone anything could be written.
	return !strings.ContainsAny(below, ":%") && strings.HasSuffix(below, "."+host)
}

// asciiHost returns a URL's host in the letters in which it is asked for (RFC 5891 §4), as written if it has none.
func asciiHost(u *url.URL) string {
	host := u.Hostname()
	if a, err := dial.ASCII(host); err == nil {
		return a
	}
	return host
}
