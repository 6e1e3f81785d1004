package server

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

// ListenAndServe listens on Config.Addr and serves. See Serve.
func (s *Server) ListenAndServe() error {
	l, err := listen(s.cfg.Addr, ":8080")
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// ListenAndServeTLS listens on Config.Addr and serves over TLS. See ServeTLS.
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error {
	l, err := listen(s.cfg.Addr, ":8443")
	if err != nil {
		return err
	}
	return s.ServeTLS(l, certFile, keyFile)
}

// ServeTLS is Serve over TLS, with the certificate and key of two PEM files. When the files change, connections
// accepted a second later get the new certificate; files that cannot be read leave the old one in use. With two empty
// names Config.TLSConfig provides the certificate.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	cfg, err := s.tlsConfig(certFile, keyFile)
	if err == nil && s.cfg.Handler == nil {
		err = errNoHandler
	}
	if err != nil {
		l.Close()
		return err
	}
	return serveError(s.engine.Serve(l, cfg))
}

// tlsConfig returns Config.TLSConfig's copy, made ready for HTTP.
func (s *Server) tlsConfig(certFile, keyFile string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.cfg.TLSConfig != nil {
		cfg = s.cfg.TLSConfig.Clone()
	}
	// RFC 7301 §3.2: what is offered here must be spoken afterwards; this package speaks no "h2".
	cfg.NextProtos = slices.DeleteFunc(slices.Clone(cfg.NextProtos), func(p string) bool { return p == "h2" })
	if !slices.Contains(cfg.NextProtos, "http/1.1") {
		cfg.NextProtos = append(cfg.NextProtos, "http/1.1")
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
	cfg.Certificates, cfg.GetCertificate = nil, files.get
	return cfg, nil
}

// listen opens "host:port" or "unix:/path".
func listen(addr, otherwise string) (net.Listener, error) {
	if addr == "" {
		addr = otherwise
	}
	path, isUnix := strings.CutPrefix(addr, "unix:")
	if !isUnix {
		return net.Listen("tcp", addr)
	}
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && abandoned(path) {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		return net.Listen("unix", path)
	}
	return l, err
}

// abandoned tells whether path is a socket that a process which is gone left behind: nobody listens on it.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	nc, err := net.Dial("unix", path)
	if err == nil {
		nc.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
