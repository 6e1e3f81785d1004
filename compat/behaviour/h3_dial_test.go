package behaviour

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// dialQUIC connects to the scene's server, which speaks HTTP/3.
func (s *scene) dialQUIC() *quic.Conn {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	qc, err := quic.DialAddr(ctx, s.addr, h3TLS(), &quic.Config{
		InitialStreamReceiveWindow: h3Window, MaxStreamReceiveWindow: h3Window, MaxIdleTimeout: patience,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.later(func() { qc.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "") })
	return qc
}

// h3TLS is clientTLS for HTTP/3.
func h3TLS() *tls.Config {
	config := clientTLS()
	config.NextProtos = []string{"h3"}
	return config
}

// reachable reports whether the server accepts another connection.
func (s *scene) reachable() bool {
	if s.version == 3 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		qc, err := quic.DialAddr(ctx, s.addr, h3TLS(), nil)
		if err == nil {
			qc.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
		}
		return err == nil
	}
	c, err := net.Dial("tcp", s.addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// quicEnd is what a peer of HTTP/3 has for a connection.
type quicEnd struct {
	net.Conn
	qc *quic.Conn
}

// Close implements net.Conn.
func (q quicEnd) Close() error {
	return q.qc.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
}

// LocalAddr implements net.Conn. The socket is bound to all addresses.
func (q quicEnd) LocalAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: q.qc.LocalAddr().(*net.UDPAddr).Port}
}
