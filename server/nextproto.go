package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// NextProto serves a connection on which TLS has negotiated a protocol that is not this package's. It came from l; it is
// the function's, as after Hijack, which is to close it.
type NextProto func(l net.Listener, nc *tls.Conn)

// passOn sees to a connection on which TLS has negotiated a protocol that is not ours, and reports whether it was one.
// What has been negotiated must be spoken (RFC 7301 §3.2). err is what New is to return.
func (s *Server) handOff(c *netconn.Conn, l net.Listener) (passed bool, err error) {
	state := c.TLS()
	if state == nil {
		return false, nil
	}
	switch name := state.NegotiatedProtocol; {
	case name == "", name == "http/1.1", name == "http/1.0":
		return false, nil
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

// giveTo has serve serve c on a goroutine of its own.
func hijackTo(serve NextProto, c *netconn.Conn, l net.Listener) error {
	nc, _, err := c.Hijack()
	if err != nil {
		return err
	}
	if tc, ok := nc.(*tls.Conn); ok {
		go serve(l, tc)
	} else {
		nc.Close() // a connection of another make that only tells of TLS
	}
	return errTakenOver
}
