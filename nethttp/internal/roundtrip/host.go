package roundtrip

import (
	"net"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/dial"
)

func defaultPort(secure bool) string {
	if secure {
		return "443"
	}
	return "80"
}

// hostAndPort returns the host and port of a URL in the form that dials and traces use.
func hostAndPort(u *url.URL) string {
	host, port, err := hostPort(u, defaultPort(u.Scheme == "https"))
	if err != nil {
		return u.Host
	}
	return net.JoinHostPort(host, port)
}

// hostPort returns the host of a URL in ASCII, and its port, or port if it has none.
func hostPort(u *url.URL, port string) (string, string, error) {
	host, err := dial.ASCII(u.Hostname())
	if err != nil {
		return "", "", err
	}
	if p := u.Port(); p != "" {
		port = p
	}
	return host, port, nil
}

// asciiHost returns hostport with the host in ASCII, as protocols need it.
func asciiHost(hostport string) string {
	for i := range len(hostport) {
		if hostport[i] >= 0x80 {
			return convertHost(hostport)
		}
	}
	return hostport
}

// lowerHost returns hostport in ASCII and in lower case.
func lowerHost(hostport string) string {
	for i := range len(hostport) {
		if c := hostport[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return strings.ToLower(asciiHost(hostport))
		}
	}
	return hostport
}

func convertHost(hostport string) string {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = hostport, ""
	}
	if host, err = dial.ASCII(host); err != nil {
		return hostport // which is refused later
	}
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	return host
}

// proxyAuth returns the credentials for a proxy that forwards requests.
func proxyAuth(via string) (string, error) {
	u, err := url.Parse(via)
	if err != nil || u.User == nil {
		return "", err
	}
	password, _ := u.User.Password()
	return dial.Basic(u.User.Username(), password), nil
}
