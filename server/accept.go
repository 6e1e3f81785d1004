package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/servercert"
)

// newConn is netconn.Config.New: it chooses the protocol of a new connection.
func (s *Server) newConn(c *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
	if passed, err := s.handOff(c, l); passed {
		return nil, err
	}
	state := c.TLS()
	chosen := state != nil && state.NegotiatedProtocol == h2
	onlyH2 := chosen || !s.shared.cfg.Protocols.HTTP1()
	if onlyH2 && !hasHTTP2(s.shared.cfg.Protocols, state) {
		return nil, s.refuseOtherH2(c)
	}
	if onlyH2 && state != nil {
		if why := servercert.Inadequate(state, s.shared.cfg.HTTP2.PermitProhibitedCipherSuites); why != "" {
			return nil, s.refuseTLS(c, state, why)
		}
	}
	var value any
	if s.shared.cfg.OnConn != nil {
		value = s.shared.cfg.OnConn(l, c.NetConn())
	}
	if onlyH2 {
		return s.h2.newConn(c, s.h2.newWire(c), s.shared.requests.shard(), value), nil
	}
	return s.h1.newConn(value, state == nil && s.shared.cfg.Protocols.UnencryptedHTTP2()), nil
}

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
		if s.shared.cfg.Protocols.HTTP1() {
			return false, nil
		}
		s.shared.log.Debug("server: the listener's TLS negotiated HTTP/1, which Config.Protocols does not allow", "remote", c.RemoteAddr())
		return true, netconn.ErrDone
	case s.shared.cfg.NextProtos[name] != nil:
		return true, hijackTo(s.shared.cfg.NextProtos[name], c, l)
	case name == h2 && s.shared.cfg.Protocols.HTTP2():
		return false, nil
	case name == h2:
		return true, s.refuseH2(c)
	case s.shared.behaviour.Quirks.Has(behaviour.RejectsUnknownALPN):
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
