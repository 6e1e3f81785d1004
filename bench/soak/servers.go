package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// The servers' limits. They are short, so that they are reached often, and long enough that well-behaved clients do not
// reach them on a busy machine.
const (
	idlePark      = 300 * time.Millisecond
	idleTimeout   = 6 * time.Second
	headerTimeout = 5 * time.Second // in nethttp also the limit of TLS handshakes
	rateGrace     = 4 * time.Second
	shutdownLimit = 30 * time.Second // much longer than any request of the shutdown rounds takes
)

// faceNetHTTP is the name of nethttp.Server, which follows net/http where that differs from package server.
const faceNetHTTP = "nethttp"

// face is one server with its two listeners.
type face interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	Close() error
	Stats() server.Stats
}

// serverGroup is all servers of the process. They are started and shut down together.
type serverGroup struct {
	targets []target
	faces   []face
	serving sync.WaitGroup
	begun   requestSet
	streams atomic.Int64  // open event streams
	closing chan struct{} // closed when the shutdown begins: event streams end then
}

// startServers starts the servers.
func startServers(cert tls.Certificate) (*serverGroup, error) {
	h := &serverGroup{closing: make(chan struct{})}
	secure := &tls.Config{Certificates: []tls.Certificate{cert}}
	cfg := server.Config{
		MaxBodyBytes: -1, TLSConfig: secure,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, IdlePark: idlePark, RateGrace: rateGrace,
	}
	native, mounted := cfg, cfg
	native.Handler = server.HandlerFunc(h.serveNative)
	mounted.Handler = nethttp.Handler(h)
	for _, f := range []struct {
		name string
		face face
	}{
		{"native", server.NewServer(native)},
		{"mounted", server.NewServer(mounted)},
		{faceNetHTTP, &nethttp.Server{
			Handler: h, TLSConfig: secure, ErrorLog: log.New(io.Discard, "", 0),
			ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		}},
	} {
		if err := h.open(f.name, f.face); err != nil {
			h.close()
			return nil, err
		}
	}
	return h, nil
}

// open starts one server, in cleartext and over TLS.
func (h *serverGroup) open(name string, f face) error {
	h.faces = append(h.faces, f)
	for _, secure := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		h.targets = append(h.targets, target{name, l.Addr().String(), secure})
		h.serving.Go(func() {
			if secure {
				f.ServeTLS(l, "", "")
			} else {
				f.Serve(l)
			}
		})
	}
	return nil
}

// shutdown shuts the servers down, and closes them if one does not end within shutdownLimit.
func (h *serverGroup) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	close(h.closing)
	errs := make([]error, len(h.faces))
	var all sync.WaitGroup
	for i, f := range h.faces {
		all.Go(func() { errs[i] = f.Shutdown(ctx) })
	}
	all.Wait()
	err := errors.Join(errs...)
	if err != nil {
		h.close()
	}
	h.serving.Wait()
	return err
}

func (h *serverGroup) close() {
	for _, f := range h.faces {
		f.Close()
	}
}

// stats returns the sums of the servers' counters.
func (h *serverGroup) stats() (sum server.Stats) {
	if h == nil {
		return sum
	}
	for _, f := range h.faces {
		s := f.Stats()
		sum.OpenConnections += s.OpenConnections
		sum.ParkedConnections += s.ParkedConnections
		sum.Requests += s.Requests
		sum.Panics += s.Panics
		sum.Timeouts += s.Timeouts
	}
	return sum
}

var _ http.Handler = (*serverGroup)(nil)
