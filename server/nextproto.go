package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// NextProto serves a connection on which TLS has negotiated a protocol that is not one of this package. l is the
// listener that accepted it. As after Hijack, the function owns the connection and must close it.
type NextProto func(l net.Listener, nc *tls.Conn)

// handOff handles a connection on which TLS has negotiated a protocol that the server does not speak, and reports
// whether c is such a connection. err is the error that newConn must return. A negotiated protocol must be spoken (RFC
// 7301 §3.2).
func (s *Server) handOff(c *netconn.Conn, l net.Listener) (passed bool, err error) {
	state := c.TLS()
	if state == nil {
		return false, nil
	}
	switch name := state.NegotiatedProtocol; {
	case name == "":
		return false, nil
	case name == h1, name == "http/1.0":
		if s.cfg.Protocols.has(HTTP1) {
			return false, nil
		}
		s.log.Debug("server: a listener's own TLS has negotiated HTTP/1, which is not spoken", "remote", c.RemoteAddr())
		return true, netconn.ErrDone
	case s.cfg.NextProtos[name] != nil:
		return true, hijackTo(s.cfg.NextProtos[name], c, l)
	case name == h2 && s.cfg.Protocols.has(HTTP2):
		return false, nil
	case name == h2:
		return true, s.refuseH2(c)
	case s.behaviour.quirks.has(rejectsUnknownALPN):
		return true, netconn.ErrDone
	}
	return false, nil
}

// hijackTo takes c over and runs serve on a goroutine of its own.
func hijackTo(serve NextProto, c *netconn.Conn, l net.Listener) error {
	nc, _, err := c.Hijack()
	if err != nil {
		return err
	}
	if tc, ok := nc.(*tls.Conn); ok {
		go serve(l, tc)
	} else {
		nc.Close() // c has TLS information but is not a *tls.Conn
	}
	return errTakenOver
}
