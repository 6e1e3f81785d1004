package dial

import (
	"encoding/base64"
	"errors"
	"net"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
)

// ProxyError is a proxy's refusal to open a tunnel.
type ProxyError struct {
	Status int    // what it answered to CONNECT
	Reason string // its phrase for that, which may be empty
}

// Error returns the status and the reason.
func (e *ProxyError) Error() string {
	s := "dial: the proxy answered " + strconv.Itoa(e.Status)
	if e.Reason != "" {
		s += " " + e.Reason
	}
	return s
}

var errConnect = errors.New("dial: a host or login that cannot be sent to a proxy")

// connect asks the proxy at the other end of nc for a tunnel to addr, and returns nc as it is from there on.
func (p *Proxy) connect(nc net.Conn, addr string) (net.Conn, error) {
	hello, ok := p.appendConnect(nil, addr)
	if !ok {
		return nil, errConnect
	}
	if _, err := nc.Write(hello); err != nil {
		return nil, err
	}
	r, rest, err := ReadAnswer(nc, "CONNECT")
	switch {
	case err != nil:
		return nil, err
	case r.Status < 200 || r.Status > 299: // RFC 9110 §9.3.6: any 2xx opens the tunnel
		return nil, &ProxyError{Status: r.Status, Reason: string(r.Reason)}
	case len(rest) > 0:
		return &unread{nc, rest}, nil
	}
	return nc, nil
}

// appendConnect appends the request for a tunnel to addr.
func (p *Proxy) appendConnect(dst []byte, addr string) (_ []byte, ok bool) {
	if dst, ok = http1.AppendRequestLine(dst, "CONNECT", addr); !ok {
		return nil, false
	}
	if dst, ok = http1.AppendField(dst, "Host", addr); !ok {
		return nil, false
	}
	if p.Login != nil {
		dst, _ = http1.AppendField(dst, "Proxy-Authorization", Basic(p.Login.User, p.Login.Password))
	}
	return append(dst, '\r', '\n'), true
}

// Basic returns the credentials of the Basic scheme (RFC 7617 §2).
func Basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
