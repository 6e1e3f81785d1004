package dial

import (
	"encoding/base64"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/httpread"
)

var errConnect = errors.New("dial: a host or login that cannot be sent to a proxy")

// connect asks the proxy at the other end of nc for a tunnel to addr. ahead has come out of the tunnel already.
func (p *Proxy) connect(nc net.Conn, addr string) (ahead []byte, err error) {
	hello, ok := p.appendConnect(nil, addr)
	if !ok {
		return nil, errConnect
	}
	if _, err := nc.Write(hello); err != nil {
		return nil, err
	}
	in := httpread.NewBuffer(nc, 1<<10)
	var r http1.Response
	n, err := httpread.ResponseHead(in, &r, "CONNECT")
	var wrong *http1.Error
	switch {
	case errors.As(err, &wrong):
		return nil, &ProxyError{Msg: "it does not answer as HTTP does: " + wrong.Msg}
	case err != nil:
		return nil, err
	case r.Status < 200 || r.Status > 299: // RFC 9110 §9.3.6: any 2xx opens the tunnel
		return nil, &ProxyError{Status: r.Status, Msg: strings.TrimSpace("it answered " + strconv.Itoa(r.Status) + " " + string(r.Reason))}
	}
	return in.Unread()[n:], nil
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
