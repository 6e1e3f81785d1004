package server

import (
	"cmp"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// ListenAndServe listens on Config.Addr and serves. See Serve.
func (s *Server) ListenAndServe() error {
	l, err := Listen(cmp.Or(s.shared.cfg.Addr, ":8080"))
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// ListenAndServeTLS listens on Config.Addr and serves over TLS. See ServeTLS.
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error {
	l, err := Listen(cmp.Or(s.shared.cfg.Addr, ":8443"))
	if err != nil {
		return err
	}
	return s.ServeTLS(l, certFile, keyFile)
}

// ServeTLS is Serve over TLS, with the certificate and key of two PEM files. When the files change, connections
// accepted at least a second later get the new certificate. If the new files cannot be read, the old certificate stays
// in use. If both names are empty, Config.TLSConfig provides the certificate. If files are given and Config.TLSConfig
// has a GetCertificate, that is asked first for clients that name a server, and the files serve the clients for which
// it returns no certificate.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	cfg, err := s.shared.tlsConfig(certFile, keyFile)
	if err == nil && s.shared.cfg.Handler == nil {
		err = errNoHandler
	}
	if err != nil {
		l.Close()
		return err
	}
	return serveError(s.engine.Serve(l, cfg))
}

// Listen listens on "host:port" or "unix:/path", as ListenAndServe does. Accepting from it is cheaper than from a TCP
// listener of net.Listen, which sets the keep-alive probes on each connection: connections accepted here inherit them
// where the system allows it. A Unix socket that a terminated process has left behind is replaced.
func Listen(addr string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(addr, "unix:")
	if !isUnix {
		return netconn.Listen(addr)
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

// abandoned reports whether path is a Unix socket on which no process listens any more.
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
