package dial

import "fmt"

// Userinfo is what a URL says of its user. *url.Userinfo is one.
type Userinfo interface {
	comparable
	Username() string
	Password() (string, bool)
}

// ParseProxy returns the proxy that a URL names by its scheme (http, https, socks5 or socks5h), host and port, which may be
// empty for the scheme's. user is the zero value if there is none. The caller puts "proxy: " before the errors.
func ParseProxy[U Userinfo](scheme, host, port string, user U) (*Proxy, error) {
	p := &Proxy{Port: "80"}
	switch scheme {
	case "http":
	case "https":
		p.Scheme, p.Port = HTTPS, "443"
	case "socks5", "socks5h":
		p.Scheme, p.Port = SOCKS5, "1080"
	default:
		return nil, fmt.Errorf("the scheme %q is not http, https or socks5", scheme)
	}
	if port != "" {
		p.Port = port
	}
	var none U
	if user != none {
		password, _ := user.Password()
		p.Login = &Login{User: user.Username(), Password: password}
	}
	var err error
	if p.Host, err = ASCII(host); err != nil {
		return nil, fmt.Errorf("the host: %w", err)
	}
	return p, nil
}

// Basic returns the value of a Proxy-Authorization field, "" without a login.
func (l *Login) Basic() string {
	if l == nil {
		return ""
	}
	return Basic(l.User, l.Password)
}
