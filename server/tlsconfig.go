package server

import (
	"crypto/tls"
	"slices"
)

// tlsConfig returns Config.TLSConfig's copy, made ready for HTTP.
func (s *Server) tlsConfig(certFile, keyFile string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.cfg.TLSConfig != nil {
		cfg = s.cfg.TLSConfig.Clone()
	}
	cfg.NextProtos = s.offeredProtocols(cfg.NextProtos)
	if choose := cfg.GetConfigForClient; choose != nil {
		cfg.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			chosen, err := choose(hello)
			return s.withOfferedProtocols(chosen), err
		}
	}
	if certFile == "" && keyFile == "" {
		if len(cfg.Certificates) == 0 && cfg.GetCertificate == nil && cfg.GetConfigForClient == nil {
			return nil, errNoCertificate
		}
		return cfg, nil
	}
	files, err := openCertFiles(certFile, keyFile, s.log)
	if err != nil {
		return nil, err
	}
	cfg.Certificates, cfg.GetCertificate = nil, files.getter(cfg.GetCertificate)
	return cfg, nil
}

// The names of HTTP's versions in TLS (RFC 7301 §6, RFC 9113 §3.1).
const (
	h1 = "http/1.1"
	h2 = "h2"
)

// spoken returns a copy of protos without what nobody speaks, and with what is spoken: what is offered must be spoken
// afterwards (RFC 7301 §3.2). HTTP/2 comes first, unless protos has its own order.
func (s *Server) offeredProtocols(protos []string) []string {
	protos = slices.DeleteFunc(slices.Clone(protos), func(p string) bool {
		return p == h2 && !s.speaksH2() || p == h1 && !s.cfg.Protocols.has(HTTP1)
	})
	if s.cfg.Protocols.has(HTTP2) && !slices.Contains(protos, h2) {
		protos = slices.Insert(protos, 0, h2)
	}
	if s.cfg.Protocols.has(HTTP1) && !slices.Contains(protos, h1) {
		protos = append(protos, h1)
	}
	return protos
}

// speaksH2 reports whether somebody speaks HTTP/2 over TLS: we or a function of Config.NextProtos.
func (s *Server) speaksH2() bool { return s.cfg.Protocols.has(HTTP2) || s.cfg.NextProtos[h2] != nil }

// sameProtocols returns cfg, which may be nil and is somebody else's, or a copy that offers what is spoken. Session tickets
// outlive the copy: their keys are the listener's, unless cfg has been given its own, which are copied.
func (s *Server) withOfferedProtocols(cfg *tls.Config) *tls.Config {
	if cfg == nil || !slices.Contains(cfg.NextProtos, h2) || s.speaksH2() {
		return cfg
	}
	cfg = cfg.Clone()
	cfg.NextProtos = s.offeredProtocols(cfg.NextProtos)
	return cfg
}

// getCertificate is tls.Config.GetCertificate.
type getCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error)

// after returns a getCertificate that asks own first, if there is one and the client names a server, as
// crypto/tls does where there are certificates besides.
func (f *certFiles) getter(own getCertificate) getCertificate {
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if own != nil && hello.ServerName != "" {
			if cert, err := own(hello); cert != nil || err != nil {
				return cert, err
			}
		}
		return f.get(), nil
	}
}
