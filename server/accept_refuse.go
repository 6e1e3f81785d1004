package server

import (
	"crypto/tls"
	"encoding/binary"
	"net/http"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// dismissH2 rejects an HTTP/2 connection before its first request. It sends a GOAWAY frame with a code and a text for
// people, after a SETTINGS frame, with which every server's preface begins (RFC 9113 §3.4, §6.8, §7). It returns the
// error that newConn must return.
func (s *Server) dismissH2(c *netconn.Conn, code http2.ErrCode, why string) error {
	s.shared.refused.Add(1)
	b := http2.FrameHeader{Type: http2.FrameSettings}.Append(nil)
	b = http2.FrameHeader{Type: http2.FrameGoAway, Length: uint32(8 + len(why))}.Append(b)
	b = binary.BigEndian.AppendUint64(b, uint64(code)) // last stream 0: no request was handled; then the code
	c.Write(append(b, why...))
	return netconn.ErrDone
}

// refuseH2 rejects a connection on which a listener's own TLS has negotiated HTTP/2 although the server does not speak
// it (RFC 7301 §3.2). Browsers and others then try again with HTTP/1.1.
func (s *Server) refuseH2(c *netconn.Conn) error {
	s.warnedH2.Do(func() {
		s.shared.log.Warn("the listener's TLS negotiated HTTP/2, which Config.Protocols does not allow: remove \"h2\" from its NextProtos, " +
			"or give ServeTLS a listener without TLS")
	})
	return s.dismissH2(c, http2.ErrCodeHTTP11Required, "")
}

// hasHTTP2 reports whether p contains HTTP/2 on a connection with this state of TLS, which is nil without TLS.
func hasHTTP2(p *http.Protocols, state *tls.ConnectionState) bool {
	if state == nil {
		return p.UnencryptedHTTP2()
	}
	return p.HTTP2()
}

// refuseOtherH2 rejects a connection of a server that only speaks HTTP/2, but over TLS while the connection is without, or
// the other way round.
func (s *Server) refuseOtherH2(c *netconn.Conn) error {
	s.shared.log.Debug("server: Config.Protocols allows no HTTP version on this connection", "tls", c.TLS() != nil, "remote", c.RemoteAddr())
	return s.dismissH2(c, http2.ErrCodeInadequateSecurity, "HTTP/2 is not spoken here")
}

// refuseTLS rejects an HTTP/2 connection whose TLS is inadequate. why is "tls_version" or "cipher_suite".
func (s *Server) refuseTLS(c *netconn.Conn, state *tls.ConnectionState, why string) error {
	s.shared.log.Debug("server: HTTP/2 refused over inadequate TLS", "version", tls.VersionName(state.Version),
		"suite", tls.CipherSuiteName(state.CipherSuite), "remote", c.RemoteAddr())
	if count := s.shared.cfg.HTTP2.CountError; count != nil {
		count("conn_inadequate_security_" + why)
	}
	return s.dismissH2(c, http2.ErrCodeInadequateSecurity, tls.VersionName(state.Version)+" with "+
		tls.CipherSuiteName(state.CipherSuite))
}
