package quicconn

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// TLSState is the state of a connection's TLS, which is kept once the handshake is complete. Its method is safe for concurrent use.
type TLSState struct {
	mu    sync.Mutex
	state *tls.ConnectionState
}

// Of returns the TLS state of c, to which t belongs.
func (t *TLSState) Of(c Conn) *tls.ConnectionState {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != nil {
		return t.state
	}
	complete := c.IsHandshaken()
	state := c.TLS()
	if complete {
		t.state = &state
	}
	return &state
}

// netConn is the net.Conn of a connection for hooks: it has addresses and can be closed. Only its streams can be read and written.
type netConn struct {
	c     Conn
	state *TLSState
}

// NetConn returns c as a net.Conn for hooks. t holds its TLS state.
func NetConn(c Conn, t *TLSState) net.Conn { return &netConn{c, t} }

var errNoStream = errors.New("http3: an HTTP/3 connection is read and written by its streams")

func (n *netConn) Read([]byte) (int, error)             { return 0, errNoStream }
func (n *netConn) Write([]byte) (int, error)            { return 0, errNoStream }
func (n *netConn) LocalAddr() net.Addr                  { return n.c.LocalAddr() }
func (n *netConn) RemoteAddr() net.Addr                 { return n.c.RemoteAddr() }
func (n *netConn) SetDeadline(time.Time) error          { return errNoStream }
func (n *netConn) SetReadDeadline(time.Time) error      { return errNoStream }
func (n *netConn) SetWriteDeadline(time.Time) error     { return errNoStream }
func (n *netConn) ConnectionState() tls.ConnectionState { return *n.state.Of(n.c) }

// Close ends the connection at once.
func (n *netConn) Close() error {
	n.c.Close(h3frame.NoError, "")
	return nil
}

// netListener is the net.Listener of a socket for hooks.
type netListener struct{ pc net.PacketConn }

// NetListener returns pc as a net.Listener for hooks.
func NetListener(pc net.PacketConn) net.Listener { return &netListener{pc} }

func (l *netListener) Accept() (net.Conn, error) { return nil, errNoStream }
func (l *netListener) Close() error              { return l.pc.Close() }
func (l *netListener) Addr() net.Addr            { return l.pc.LocalAddr() }
