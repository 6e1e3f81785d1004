package dial

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"golang.org/x/net/proxy"
)

// socks asks the SOCKS5 proxy at the other end of nc for a tunnel to addr (RFC 1928). It reads no byte of the tunnel.
func (p *Proxy) socks(nc net.Conn, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" || len(host) > 255 || !p.Login.valid() {
		return errConnect
	}
	var auth *proxy.Auth
	if p.Login != nil {
		auth = &proxy.Auth{User: p.Login.User, Password: p.Login.Password}
	}
	o := &socksConn{Conn: nc}
	d, err := proxy.SOCKS5("tcp", net.JoinHostPort(p.Host, p.Port), auth, o)
	if err != nil {
		return err
	}
	_, err = d.(proxy.ContextDialer).DialContext(context.Background(), "tcp", addr)
	return o.errorOf(err)
}

// valid reports whether a login can be sent: the user name has 1 to 255 bytes, the password at most 255. RFC 1929 §2
// requires at least one byte of password, but proxies accept users without one.
func (l *Login) valid() bool {
	return l == nil || len(l.User) > 0 && len(l.User) < 256 && len(l.Password) < 256
}

// socksConn is a proxy.ContextDialer that returns a connection that is open already. It records errors of reading and
// writing. Package proxy reports all other errors as text only, and they are the proxy's fault.
type socksConn struct {
	net.Conn
	err error
}

// Dial implements proxy.Dialer.
func (o *socksConn) Dial(string, string) (net.Conn, error) { return o, nil }

// DialContext implements proxy.ContextDialer.
func (o *socksConn) DialContext(context.Context, string, string) (net.Conn, error) { return o, nil }

// Read implements net.Conn.
func (o *socksConn) Read(p []byte) (n int, err error) {
	n, err = o.Conn.Read(p)
	o.noteErr(err)
	return n, err
}

// Write implements net.Conn.
func (o *socksConn) Write(p []byte) (n int, err error) {
	n, err = o.Conn.Write(p)
	o.noteErr(err)
	return n, err
}

func (o *socksConn) noteErr(err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		o.err = err
	}
}

// errorOf returns the cause of err, which package proxy has returned.
func (o *socksConn) errorOf(err error) error {
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
