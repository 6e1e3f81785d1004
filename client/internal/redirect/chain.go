// Package redirect finds the request to which a redirect leads (RFC 9110 §15.4), by the rules of net/http's Client. It does no
// I/O.
package redirect

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/dial"
)

var (
	// ErrTooMany is returned when a request has been redirected too often.
	ErrTooMany = errors.New("too many redirects")
	// ErrLocation is returned for a Location that must not be followed.
	ErrLocation = errors.New("the Location cannot be followed")
)

// Chain is one request on its way from redirect to redirect. Next takes a response's status and Location and returns the
// next request. Only one goroutine at a time may use it.
type Chain struct {
	Last Hop // the latest request

	first    *url.URL
	followed int
	limit    int // how many redirects are followed
}

// Hop is a request of a Chain. Body, credentials and Host that one hop has dropped stay dropped in later ones,
// since the server of that hop may have chosen where those lead.
type Hop struct {
	Method string
	URL    *url.URL
	// Body says that the first request's body, if any, is sent again, along with the fields that IsAboutBody names.
	Body bool
	// Credentials says that the fields that IsCredential names are sent.
	Credentials bool
	// OwnHost says that the Host of the first request is used.
	OwnHost bool
}

// New returns the chain for a request that is not the result of a redirect. limit is how many redirects are
// followed; none if it is negative. first is not changed.
func New(method string, first *url.URL, limit int) Chain {
	return Chain{first: first, Last: Hop{method, first, true, true, true}, limit: limit}
}

// Next returns the request that a response redirects to. It returns nil without an error if the response is final: its
// status is not a redirect that is followed, it has no Location, the body would have to be sent again but cannot be, or
// the limit is negative. It returns an error if the redirect must not be followed.
//
// oneShotBody says that the first request has a body that cannot be sent twice. As in net/http, any 307 or 308 is final
// then, even after a redirect that has dropped the body.
func (r *Chain) Next(status int, location string, oneShotBody bool) (*Hop, error) {
	method, keep, ok := redirected(r.Last.Method, status)
	if !ok || r.limit < 0 || location == "" || keep && oneShotBody {
		return nil, nil
	}
	to, sameHost, err := resolveLocation(r.Last.URL, location)
	if err != nil {
		return nil, err
	}
	if r.followed >= r.limit {
		return nil, fmt.Errorf("%w: %d were followed", ErrTooMany, r.followed)
	}
	r.followed++
	r.Last = Hop{
		Method:      method,
		URL:         to,
		Body:        r.Last.Body && keep,
		Credentials: r.Last.Credentials && sameSite(r.first, to),
		OwnHost:     r.Last.OwnHost && sameHost,
	}
	h := r.Last
	return &h, nil
}

// redirected returns the method with which a redirect is followed, and whether the body is sent again; ok is false if
// status is not a redirect that is followed. 303 always asks for GET, or HEAD (RFC 9110 §15.4.4). 301 and 302 may change
// the method (§15.4.2, §15.4.3); as in net/http they do so for all methods, not only for POST. 307 and 308 change nothing
// (§15.4.8, §15.4.9). 300, 304, 305 and 306 are left to the caller.
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

// resolveLocation resolves a Location relative to the request's target (RFC 9110 §10.2.2). sameHost reports whether it
// names no host. If it has no fragment it inherits the target's. Only http and https are allowed: a server must not make a
// client open any other URL.
func resolveLocation(from *url.URL, location string) (to *url.URL, sameHost bool, err error) {
	ref, err := url.Parse(location)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrLocation, WithoutURL(err))
	}
	to = from.ResolveReference(ref)
	switch {
	case to.Scheme != "http" && to.Scheme != "https":
		return nil, false, fmt.Errorf("%w: its scheme is %q", ErrLocation, to.Scheme)
	case to.Hostname() == "":
		return nil, false, fmt.Errorf("%w: it names no host", ErrLocation)
	}
	if !strings.Contains(location, "#") {
		to.Fragment, to.RawFragment = from.Fragment, from.RawFragment
	}
	return to, ref.Host == "" && ref.Scheme == "", nil
}

// WithoutURL returns err without the URL that it quotes, which may contain a password.
func WithoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// sameSite reports whether credentials for from may be sent to to: it is the same host, whatever its port and scheme, or a
// subdomain of it. This is net/http's rule.
func sameSite(from, to *url.URL) bool {
	if from.Host == to.Host {
		return true
	}
	host, below := asciiHost(from), asciiHost(to)
	if host == below {
		return true
	}
	// An address is no subdomain: an IPv6 zone could contain any text.
	return !strings.ContainsAny(below, ":%") && strings.HasSuffix(below, "."+host)
}

// asciiHost returns the host of u in ASCII (RFC 5891 §4), or as it is written if it cannot be converted.
func asciiHost(u *url.URL) string {
	host := u.Hostname()
	if a, err := dial.ASCII(host); err == nil {
		return a
	}
	return host
}
