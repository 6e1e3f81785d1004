package gateway

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Route maps a path to a service.
type Route struct {
	Path string // percent-encoded, as in requests
	To   string // tcp://H:P or tls://H:P
	TLS  bool
	Host string // host and port to dial
}

// ParseRoute parses PATH=tcp://H:P or PATH=tls://H:P.
func ParseRoute(s string) (Route, error) {
	at := strings.LastIndexByte(s, '=')
	if at < 0 {
		return Route{}, errors.New("want PATH=URL such as /echo=tcp://127.0.0.1:7000")
	}
	r := Route{Path: s[:at], To: s[at+1:]}
	path, err := url.ParseRequestURI(r.Path)
	if err != nil || !strings.HasPrefix(r.Path, "/") || path.RawQuery != "" || path.ForceQuery || path.EscapedPath() != r.Path {
		return Route{}, fmt.Errorf("%q is not a path: it begins with / and stands here as in a request, %%-encoded", r.Path)
	}
	to, err := url.Parse(r.To)
	if err != nil {
		return Route{}, fmt.Errorf("%q: %w", r.To, err.(*url.Error).Err)
	}
	port, err := strconv.ParseUint(to.Port(), 10, 16)
	switch {
	case to.Scheme != "tcp" && to.Scheme != "tls":
		return Route{}, fmt.Errorf("%q: the scheme is not tcp or tls", r.To)
	case err != nil || port == 0 || to.Hostname() == "":
		return Route{}, fmt.Errorf("%q: a host and a port from 1 to 65535 are wanted", r.To)
	case to.User != nil || strings.Trim(to.Path, "/") != "" || to.RawQuery != "" || to.Fragment != "":
		return Route{}, fmt.Errorf("%q: only a host and a port may stand here", r.To)
	}
	r.TLS, r.Host = to.Scheme == "tls", to.Host
	return r, nil
}
