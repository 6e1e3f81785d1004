package websocket

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// endpoint is the server that a URL leads to.
type endpoint struct {
	name      string   // the URL as it was given, but with its password redacted
	url       *url.URL // its scheme is http or https
	host      string   // a name in ASCII, or an address
	port      string
	hostField string // the Host field (RFC 6455 §4.1), without the port if it is the scheme's default
	secure    bool
}

// The reasons to reject a URL.
var (
	errScheme   = errors.New("the scheme is not ws or wss (RFC 6455 §3)")
	errFragment = errors.New("it has a fragment (RFC 6455 §3)")
	errNoHost   = errors.New("it has no host")
	errPort     = errors.New("its port is not one of 1 to 65535")
	errInsecure = errors.New("a redirect leads from wss to ws")
)

// parseEndpoint returns the endpoint of a URL, or an error if the URL is not valid for WebSocket.
func parseEndpoint(raw string) (*endpoint, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("websocket: %w", err)
	}
	return endpointOf(u, strings.Contains(raw, "#"))
}

// endpointOf returns the endpoint of u. fragment reports whether the URL has a fragment, even an empty one.
func endpointOf(u *url.URL, fragment bool) (*endpoint, error) {
	to := &endpoint{name: u.Redacted(), url: u, port: u.Port()}
	if err := to.resolve(fragment); err != nil {
		return nil, fmt.Errorf("websocket: URL %q: %w", to.name, err)
	}
	return to, nil
}

// resolve fills in the fields that follow from p.url.
func (p *endpoint) resolve(fragment bool) (err error) {
	u, normal := p.url, "80"
	switch u.Scheme {
	case "ws", "http":
		u.Scheme = "http"
	case "wss", "https":
		u.Scheme, normal, p.secure = "https", "443", true
	default:
		return errScheme
	}
	switch {
	case fragment || u.Fragment != "":
		return errFragment
	case u.Opaque != "" || u.Hostname() == "":
		return errNoHost
	case p.port == "":
		p.port = normal
	}
	if n, err := strconv.ParseUint(p.port, 10, 16); err != nil || n == 0 {
		return errPort
	}
	if p.host, err = dial.ASCII(u.Hostname()); err != nil {
		return err
	}
	p.hostField = dial.WithoutZone(p.host)
	if strings.Contains(p.hostField, ":") {
		p.hostField = "[" + p.hostField + "]"
	}
	if p.port != normal {
		p.hostField += ":" + p.port
	}
	return nil
}

// isRedirect reports whether resp is a redirect (RFC 9110 §15.4).
func isRedirect(resp *http.Response) bool {
	if resp == nil {
		return false
	}
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow returns the endpoint that a redirect leads to and the header for it. Fields that are meant for one host are not
// sent to another.
func (p *endpoint) follow(resp *http.Response, header http.Header) (*endpoint, http.Header, error) {
	where := resp.Header.Get("Location")
	u, err := p.url.Parse(where)
	if where == "" || err != nil {
		return nil, nil, &HandshakeError{resp.StatusCode, "a redirect without a valid Location"}
	}
	to, err := endpointOf(u, strings.Contains(where, "#"))
	if err == nil && p.secure && !to.secure {
		err = fmt.Errorf("websocket: URL %q: %w", to.name, errInsecure)
	}
	if err != nil {
		return nil, nil, err
	}
	if to.hostField == p.hostField && to.secure == p.secure {
		return to, header, nil
	}
	header = maps.Clone(header)
	maps.DeleteFunc(header, func(name string, _ []string) bool {
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Authorization", "Cookie", "Cookie2":
			return true
		}
		return false
	})
	return to, header, nil
}
