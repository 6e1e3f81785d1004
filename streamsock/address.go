package streamsock

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// address is an address that a socket is bound to or dials.
type address struct {
	transport string // tcp, tls, ws, wss, unix
	host      string // host and port; for unix a path
	path      string // for ws and wss: the only path that is upgraded; empty: any
	query     string // for ws and wss, with its question mark; only when dialled
	text      string // as it was passed by the user
}

// String returns the address as it was passed by the user.
func (a *address) String() string { return a.text }

func (a *address) secure() bool { return a.transport == "tls" || a.transport == "wss" }
func (a *address) framed() bool { return a.transport == "ws" || a.transport == "wss" }

// CheckAddress returns an error if addr is not a valid address for Bind or Connect. It does not check whether the address is
// available.
func CheckAddress(addr string) error {
	_, err := parseAddress(addr)
	return err
}

// parseAddress parses tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH] and unix://PATH.
func parseAddress(text string) (*address, error) {
	wrong := func(why string) (*address, error) { return nil, fmt.Errorf("streamsock: %q: %s", text, why) }
	u, err := url.Parse(text)
	if err != nil {
		return wrong(err.(*url.Error).Err.Error())
	}
	a := &address{transport: u.Scheme, host: u.Host, path: u.EscapedPath(), text: text}
	switch u.Scheme {
	case "unix":
		if a.host, a.path = u.Host+u.Path, ""; a.host == "" {
			return wrong("no path")
		}
		return a, nil
	case "tcp", "tls":
		if strings.Trim(a.path, "/") != "" || u.RawQuery != "" || u.ForceQuery {
			return wrong("a path has no meaning here")
		}
		a.path = ""
	case "ws", "wss":
		if u.RawQuery != "" || u.ForceQuery {
			a.query = "?" + u.RawQuery
		}
		if u.Port() == "" {
			a.host = net.JoinHostPort(u.Hostname(), map[string]string{"ws": "80", "wss": "443"}[u.Scheme])
		}
	default:
		return wrong("the scheme is not tcp, tls, ws, wss or unix")
	}
	if u.User != nil || u.Fragment != "" {
		return wrong("neither a user nor a fragment may stand here")
	}
	_, port, err := net.SplitHostPort(a.host)
	if err != nil || port == "" {
		return wrong("no port")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return wrong("a port is a number up to 65535")
	}
	return a, nil
}
