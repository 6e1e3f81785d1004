package http3

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// tlsState is the state of a connection's TLS.
type tlsState struct {
	tls.ConnectionState
	complete bool // the handshake was complete when it was taken
}

// tls returns the state of the connection's TLS. It is kept once the handshake is complete.
func (k *conn) tls() *tls.ConnectionState {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tlsState == nil || !k.tlsState.complete {
		select {
		case <-k.qc.handshaken():
			k.tlsState = &tlsState{k.qc.tls(), true}
		default:
			k.tlsState = &tlsState{k.qc.tls(), false}
		}
	}
	return &k.tlsState.ConnectionState
}

// netConn is a connection as hooks see it: it has addresses and can be closed. Only its streams can be read and written.
type netConn struct {
	k interface {
		quic() quicConn
		tls() *tls.ConnectionState
	}
}

// quic returns the connection of QUIC.
func (k *conn) quic() quicConn { return k.qc }

var errNoStream = errors.New("http3: a connection of HTTP/3 is read and written by its streams")

func (c *netConn) Read([]byte) (int, error)             { return 0, errNoStream }
func (c *netConn) Write([]byte) (int, error)            { return 0, errNoStream }
func (c *netConn) LocalAddr() net.Addr                  { return c.k.quic().localAddr() }
func (c *netConn) RemoteAddr() net.Addr                 { return c.k.quic().remoteAddr() }
func (c *netConn) SetDeadline(time.Time) error          { return errNoStream }
func (c *netConn) SetReadDeadline(time.Time) error      { return errNoStream }
func (c *netConn) SetWriteDeadline(time.Time) error     { return errNoStream }
func (c *netConn) ConnectionState() tls.ConnectionState { return *c.k.tls() }

// Close ends the connection at once.
func (c *netConn) Close() error {
	c.k.quic().close(h3frame.NoError, "")
	return nil
}

// listener is the socket that connections were accepted from, as hooks see it.
type listener struct{ pc net.PacketConn }

func (l *listener) Accept() (net.Conn, error) { return nil, errNoStream }
func (l *listener) Close() error              { return l.pc.Close() }
func (l *listener) Addr() net.Addr            { return l.pc.LocalAddr() }
