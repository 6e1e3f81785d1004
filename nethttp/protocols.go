package nethttp

import (
	"errors"
	"slices"
)

// errNoHTTP1 is what Serve says of a Server that is to speak HTTP/2 alone.
var errNoHTTP1 = errors.New("nethttp: Protocols leaves HTTP/1 out, and no other protocol is spoken yet")

// checkProtocols fails if the fields rule out what is spoken, and logs once that HTTP/2 was asked for.
func (s *Server) checkProtocols(overTLS bool) error {
	if s.Protocols != nil && !s.Protocols.HTTP1() {
		return errNoHTTP1
	}
	if field := s.asksForHTTP2(overTLS); field != "" && s.toldProtocol.CompareAndSwap(false, true) {
		s.logf("http: %s asks for HTTP/2, which is not spoken yet: clients get HTTP/1.1", field)
	}
	return nil
}

// asksForHTTP2 names a field that does in vain, "" if none does. That HTTP/2 comes by itself with net/http is no wish.
func (s *Server) asksForHTTP2(overTLS bool) string {
	switch {
	case s.Protocols != nil && s.Protocols.UnencryptedHTTP2():
		return "Protocols"
	case s.TLSNextProto["h2"] != nil: // which speaks it
		return ""
	case s.Protocols != nil && overTLS && s.Protocols.HTTP2():
		return "Protocols"
	case s.HTTP2 != nil:
		return "HTTP2"
	case overTLS && s.TLSConfig != nil && slices.Contains(s.TLSConfig.NextProtos, "h2"):
		return "TLSConfig.NextProtos"
	}
	return ""
}
