package streamsock

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// address is where a socket is bound or what it connects to.
type address struct {
	transport string // tcp, tls, ws, wss, unix
	host      string // a host and a port; of unix a path
	path      string // of ws and wss: the only one that is upgraded; empty: any
	query     string // of ws and wss, with its question mark; only to be dialled
	text      string // as it was given
}

// String returns the address as it was given.
func (a *address) String() string { return a.text }

func (a *address) secure() bool { return a.transport == "tls" || a.transport == "wss" }
func (a *address) framed() bool { return a.transport == "ws" || a.transport == "wss" }

// CheckAddress says what is wrong with the text of an address, for Bind and Connect. It is nil if nothing is, which does not
// mean that the address can be had.
func CheckAddress(addr string) error {
	_, err := parseAddress(addr)
	return err
}

// parseAddress reads tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH] and unix://PATH.
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
