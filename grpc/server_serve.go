package grpc

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync"

	"google.golang.org/grpc"

	"github.com/shockwave-go/shockwave/server"
)

// servers are the servers that Serve and ServeTLS run.
type servers struct {
	mu      sync.Mutex
	list    []*server.Server
	stopped bool
}

// add adds s, unless the servers were stopped.
func (r *servers) add(s *server.Server) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.list = append(r.list, s)
	}
	return !r.stopped
}

func (r *servers) remove(s *server.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(one *server.Server) bool { return one == s })
}

// stop returns the servers that run, and makes add refuse others.
func (r *servers) stop() []*server.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	return slices.Clone(r.list)
}

// Serve serves the connections of l, over HTTP/2 and HTTP/1.1, until the Server is stopped or l fails. It closes l. It
// returns nil after GracefulStop or Stop, and grpc.ErrServerStopped if that came before.
func (s *Server) Serve(l net.Listener) error {
	if cfg := s.opts.http.TLSConfig; cfg != nil {
		return s.ServeTLS(l, cfg)
	}
	if s.opts.creds != nil && s.opts.creds.Info().SecurityProtocol != "insecure" {
		l = &securedListener{Listener: l, creds: s.opts.creds}
	}
	return s.serve(l, nil)
}

// ServeTLS is Serve over TLS. cfg must have a certificate. It is copied.
func (s *Server) ServeTLS(l net.Listener, cfg *tls.Config) error { return s.serve(l, cfg) }

func (s *Server) serve(l net.Listener, tlsConfig *tls.Config) error {
	s.serving.Store(true)
	cfg := s.opts.http
	cfg.TLSConfig = tlsConfig
	cfg.Handler = s.native(cfg.Handler)
	s.noteConns(&cfg)
	srv := server.NewServer(cfg)
	if !s.running.add(srv) {
		l.Close()
		return grpc.ErrServerStopped
	}
	defer s.running.remove(srv)
	var err error
	if tlsConfig != nil {
		err = srv.ServeTLS(l, "", "")
	} else {
		err = srv.Serve(l)
	}
	if err == server.ErrServerClosed {
		return nil
	}
	return err
}

// GracefulStop stops Serve and ServeTLS: they accept nothing more, connections are told to send no further calls, and
// GracefulStop waits until the calls in progress have ended. If ctx ends before, it stops them as Stop does, and returns
// ctx's error. The services of another server, by Native or ServeHTTP, end with that server.
func (s *Server) GracefulStop(ctx context.Context) error {
	list := s.running.stop()
	errs := make(chan error, len(list))
	for _, srv := range list {
		go func() { errs <- srv.Shutdown(ctx) }()
	}
	var err error
	for range list {
		if one := <-errs; one != nil {
			err = one
		}
	}
	if err != nil {
		s.Stop()
	}
	return err
}

// Stop stops Serve and ServeTLS at once: it closes their listeners and connections. The contexts of the calls in progress
// end. With WaitForHandlers Stop waits until their handlers have returned.
func (s *Server) Stop() {
	for _, srv := range s.running.stop() {
		srv.Close()
	}
	s.engine.Wait()
}
