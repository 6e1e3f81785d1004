package dial

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"golang.org/x/net/proxy"
)

// socks asks the SOCKS5 proxy at the other end of nc for a tunnel to addr (RFC 1928), and reads no byte of the tunnel.
func (p *Proxy) socks(nc net.Conn, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" || len(host) > 255 || !p.Login.fits() {
		return errConnect
	}
	var auth *proxy.Auth
	if p.Login != nil {
		auth = &proxy.Auth{User: p.Login.User, Password: p.Login.Password}
	}
	o := &opened{Conn: nc}
	d, err := proxy.SOCKS5("tcp", net.JoinHostPort(p.Host, p.Port), auth, o)
	if err != nil {
		return err
	}
	_, err = d.(proxy.ContextDialer).DialContext(context.Background(), "tcp", addr)
	return o.judge(err)
}

// fits reports whether a login can be sent: each part has 1 to 255 bytes (RFC 1929 §2). Proxies know users without a
// password all the same.
func (l *Login) fits() bool {
	return l == nil || len(l.User) > 0 && len(l.User) < 256 && len(l.Password) < 256
}

// opened is a proxy.ContextDialer whose connection is there already, and watched. It notes what reading and writing
// fail with: all else that package proxy complains about, and only in words, is the proxy's doing.
type opened struct {
	net.Conn
	err error
}

// Dial implements proxy.Dialer.
func (o *opened) Dial(string, string) (net.Conn, error) { return o, nil }

// DialContext implements proxy.ContextDialer.
func (o *opened) DialContext(context.Context, string, string) (net.Conn, error) { return o, nil }

// Read implements net.Conn.
func (o *opened) Read(p []byte) (n int, err error) {
	n, err = o.Conn.Read(p)
	o.note(err)
	return n, err
}

// Write implements net.Conn.
func (o *opened) Write(p []byte) (n int, err error) {
	n, err = o.Conn.Write(p)
	o.note(err)
	return n, err
}

func (o *opened) note(err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		o.err = err
	}
}

// judge returns what err, of package proxy, was about.
func (o *opened) judge(err error) error {
	switch {
	case err == nil:
		return nil
	case o.err != nil:
		return o.err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return &ProxyError{Msg: strings.TrimPrefix(err.Error(), "unknown error ")}
}
