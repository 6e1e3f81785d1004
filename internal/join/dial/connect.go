package dial

import (
	"encoding/base64"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

var errConnect = errors.New("dial: the host, login or a field cannot be sent to a proxy")

// connect asks the proxy at the other end of nc for a tunnel to addr. ahead holds bytes of the tunnel that have been read
// with the proxy's response.
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
	}
	if p.OnResponse != nil {
		if err := p.OnResponse(r.Status, &r.Header); err != nil {
			return nil, err
		}
	}
	if r.Status < 200 || r.Status > 299 { // any 2xx opens the tunnel (RFC 9110 §9.3.6)
		return nil, &ProxyError{Status: r.Status, Msg: strings.TrimSpace("it answered " + strconv.Itoa(r.Status) + " " + string(r.Reason))}
	}
	return in.Unread()[n:], nil
}

// appendConnect appends the request for a tunnel to addr.
func (p *Proxy) appendConnect(dst []byte, addr string) (_ []byte, ok bool) {
	if dst, ok = http1.AppendRequestLine(dst, "CONNECT", addr); !ok {
		return nil, false
	}
	dst, _ = http1.AppendField(dst, "Host", addr) // every valid target is a valid field value
	if p.Login != nil && (p.Header == nil || !p.Header.Has("Proxy-Authorization")) {
		dst, _ = http1.AppendField(dst, "Proxy-Authorization", Basic(p.Login.User, p.Login.Password))
	}
	if dst, ok = p.appendHeader(dst); !ok {
		return nil, false
	}
	return append(dst, '\r', '\n'), true
}

// appendHeader appends Header. It refuses fields that contradict the request: there is only one Host (RFC 9112 §3.2) and
// no content, so nothing may announce some (RFC 9110 §9.3.6).
func (p *Proxy) appendHeader(dst []byte) (_ []byte, ok bool) {
	if p.Header == nil {
		return dst, true
	}
	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding"} {
		if p.Header.Has(name) {
			return nil, false
		}
	}
	return http1.AppendHeader(dst, p.Header)
}

// Basic returns the value of an Authorization field for the Basic scheme (RFC 7617 §2).
func Basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
