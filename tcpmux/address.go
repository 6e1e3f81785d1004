package tcpmux

import (
	"fmt"
	"net"
	"net/url"
)

// address is a parsed url.
type address struct {
	host, port string
	secure     bool
}

func parseAddress(text string) (a address, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return a, fmt.Errorf("tcpmux: %w", err)
	}
	if u.Scheme != "tcp" && u.Scheme != "tls" || u.Path != "" && u.Path != "/" || u.User != nil || u.RawQuery != "" {
		return a, fmt.Errorf("tcpmux: %q: neither tcp://HOST:PORT nor tls://HOST:PORT", text)
	}
	a.secure = u.Scheme == "tls"
	if a.host, a.port, err = net.SplitHostPort(u.Host); err != nil {
		return a, fmt.Errorf("tcpmux: %q: %w", text, err)
	}
	return a, nil
}
