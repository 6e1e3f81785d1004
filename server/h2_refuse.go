package server

import "github.com/shockwave-go/shockwave/internal/netconn"

// h2Goodbye ends a connection of HTTP/2 before it has begun: a SETTINGS frame, with which every server's preface begins,
// and a GOAWAY frame with the code HTTP_1_1_REQUIRED (RFC 9113 §3.4, §6.8, §7). Browsers and others come again with
// HTTP/1.1 then.
var h2Goodbye = []byte("\x00\x00\x00\x04\x00\x00\x00\x00\x00" +
	"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x0d")

// refuseH2 ends a connection on which a listener's own TLS has negotiated HTTP/2: what has been negotiated must be spoken
// (RFC 7301 §3.2). It returns what New is to return.
func (s *Server) refuseH2(c *netconn.Conn) error {
	s.refused.Add(1)
	s.toldH2.Do(func() {
		s.log.Warn("a listener's own TLS has negotiated HTTP/2, which is not spoken: take \"h2\" out of its NextProtos, " +
			"or give ServeTLS a listener without TLS")
	})
	c.Write(h2Goodbye)
	return netconn.ErrDone
}
