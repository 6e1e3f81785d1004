package grpc

import (
	"net"
	"sync"

	"google.golang.org/grpc/credentials"
)

// securedListener accepts connections that credentials secure.
type securedListener struct {
	net.Listener
	creds credentials.TransportCredentials
}

// Accept implements net.Listener. It does not wait for the handshake.
func (l *securedListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &securedConn{Conn: nc, creds: l.creds}, nil
}

// securedConn is a connection whose first read or write begins with the credentials' handshake. The deadlines of that are
// those of the connection.
type securedConn struct {
	net.Conn
	creds credentials.TransportCredentials

	once    sync.Once
	secured net.Conn // after the handshake
	auth    credentials.AuthInfo
	err     error // of the handshake
}

func (c *securedConn) handshake() error {
	c.once.Do(func() { c.secured, c.auth, c.err = c.creds.ServerHandshake(c.Conn) })
	return c.err
}

// authInfo returns what the credentials know of the client. It is for calls, which come after the handshake.
func (c *securedConn) authInfo() credentials.AuthInfo { return c.auth }

func (c *securedConn) Read(p []byte) (int, error) {
	if err := c.handshake(); err != nil {
		return 0, err
	}
	return c.secured.Read(p)
}

func (c *securedConn) Write(p []byte) (int, error) {
	if err := c.handshake(); err != nil {
		return 0, err
	}
	return c.secured.Write(p)
}
