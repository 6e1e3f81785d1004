package http3_test

import (
	"crypto/tls"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
)

// Shutdown and Close of an http3.Server end only HTTP/3, and another http3.Server can serve its host again.
func TestServerAlone(t *testing.T) {
	cert, _ := certificate()
	host := server.NewServer(server.Config{Handler: server.HandlerFunc(page), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}})
	defer host.Close()
	for name, end := range map[string]func(s *http3.Server) error{
		"Shutdown": func(s *http3.Server) error { return s.Shutdown(t.Context()) },
		"Close":    (*http3.Server).Close,
	} {
		t.Run(name, func(t *testing.T) {
			pc, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer pc.Close()
			s := http3.NewServer(host, http3.Config{})
			served := make(chan error, 1)
			go func() { served <- s.Serve(pc, "", "") }()
			r := &rig{T: t, s: host, addr: pc.LocalAddr().String()}
			r.get(r.client(), "/")
			if n := s.Stats(); n.Connections != 1 || n.BytesIn == 0 || n.BytesOut == 0 {
				t.Errorf("got %+v, want Connections 1 and bytes both ways", n)
			}
			if err := end(s); err != nil {
				t.Error(err)
			}
			if err := wiretest.Within(t, "the end of Serve", served); err != server.ErrServerClosed {
				t.Errorf("got %v, want %v", err, server.ErrServerClosed)
			}
			if err := s.Serve(pc, "", ""); err != server.ErrServerClosed {
				t.Errorf("serving again: got %v, want %v", err, server.ErrServerClosed)
			}
		})
	}
}
