package nethttp

import (
	"errors"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// errNoProtocol is what Serve returns if Protocols is empty.
var errNoProtocol = errors.New("nethttp: Protocols is empty")

// protocols returns the versions to speak: those in Protocols, or all of them if it is nil. As in net/http, HTTP/2
// over TLS is left out if TLSNextProto has a function for it, or if TLSNextProto is not nil and Protocols is.
func (s *Server) protocols() *http.Protocols {
	var p http.Protocols
	if s.Protocols != nil {
		p = *s.Protocols
		p.SetHTTP2(p.HTTP2() && s.TLSNextProto[h2] == nil)
		return &p
	}
	p.SetHTTP1(true)
	p.SetHTTP2(s.TLSNextProto == nil)
	p.SetUnencryptedHTTP2(true)
	return &p
}

// h2 is the name of HTTP/2 in ALPN (RFC 9113 §3.1).
const h2 = "h2"

// checkProtocols returns an error if there is no version to speak.
func (s *Server) checkProtocols() error {
	if *s.protocols() == (http.Protocols{}) && s.TLSNextProto[h2] == nil {
		return errNoProtocol
	}
	return nil
}

// http2 translates s.HTTP2, and what else there is about HTTP/2, into the native server's configuration.
func (s *Server) http2() server.HTTP2Config {
	if s.HTTP2 == nil {
		return server.HTTP2Config{DisableExtendedConnect: s.DisableExtendedConnect, Budget: s.HTTP2Budget}
	}
	return server.HTTP2Config{
		DisableExtendedConnect: s.DisableExtendedConnect,
		Budget:                 s.HTTP2Budget,

		MaxConcurrentStreams: uint32(max(s.HTTP2.MaxConcurrentStreams, 0)),
		MaxReadFrameSize:     uint32(max(s.HTTP2.MaxReadFrameSize, 0)),
		DecoderTableSize:     uint32(max(s.HTTP2.MaxDecoderHeaderTableSize, 0)),
		EncoderTableSize:     uint32(max(s.HTTP2.MaxEncoderHeaderTableSize, 0)),
		ConnWindow:           uint32(max(s.HTTP2.MaxReceiveBufferPerConnection, 0)),
		StreamWindow:         uint32(max(s.HTTP2.MaxReceiveBufferPerStream, 0)),
		PingInterval:         s.HTTP2.SendPingTimeout,
		PingTimeout:          s.HTTP2.PingTimeout,
		WriteByteTimeout:     s.HTTP2.WriteByteTimeout,
		CountError:           s.HTTP2.CountError,

		PermitProhibitedCipherSuites: s.HTTP2.PermitProhibitedCipherSuites,
	}
}
