package server

import (
	"crypto/tls"
	"slices"

	"github.com/shockwave-go/shockwave/server/internal/servercert"
)

// tlsConfig returns a copy of Config.TLSConfig that is prepared for HTTP.
func (s *service) tlsConfig(certFile, keyFile string) (*tls.Config, error) {
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
	files, err := servercert.OpenFiles(certFile, keyFile, s.log)
	if err != nil {
		return nil, err
	}
	cfg.Certificates, cfg.GetCertificate = nil, files.Getter(cfg.GetCertificate)
	return cfg, nil
}

// The ALPN names of the HTTP versions (RFC 7301 §6, RFC 9113 §3.1).
const (
	h1 = "http/1.1"
	h2 = "h2"
)

// offeredProtocols returns a copy of protos without the HTTP versions that are not spoken, and with those that are: an
// offered protocol must be spoken (RFC 7301 §3.2). HTTP/2 comes first, unless protos contains it in another place.
func (s *service) offeredProtocols(protos []string) []string {
	protos = slices.DeleteFunc(slices.Clone(protos), func(p string) bool {
		return p == h2 && !s.speaksH2() || p == h1 && !s.cfg.Protocols.HTTP1()
	})
	if s.cfg.Protocols.HTTP2() && !slices.Contains(protos, h2) {
		protos = slices.Insert(protos, 0, h2)
	}
	if s.cfg.Protocols.HTTP1() && !slices.Contains(protos, h1) {
		protos = append(protos, h1)
	}
	return protos
}

// speaksH2 reports whether HTTP/2 over TLS is spoken, by the server or by a function of Config.NextProtos.
func (s *service) speaksH2() bool { return s.cfg.Protocols.HTTP2() || s.cfg.NextProtos[h2] != nil }

// withOfferedProtocols returns cfg, or a copy of it that does not offer "h2" if that is not spoken. cfg may be nil and
// is not changed. Session tickets work across the copies of different connections: crypto/tls uses the keys of the
// listener's configuration, unless cfg has keys of its own, which the copy keeps.
func (s *service) withOfferedProtocols(cfg *tls.Config) *tls.Config {
	if cfg == nil || !slices.Contains(cfg.NextProtos, h2) || s.speaksH2() {
		return cfg
	}
	cfg = cfg.Clone()
	cfg.NextProtos = s.offeredProtocols(cfg.NextProtos)
	return cfg
}
