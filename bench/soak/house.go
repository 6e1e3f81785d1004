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

// The servers' limits. They are short, so that what they bring about happens often, and long enough for a machine that
// has more to do to keep good clients clear of them.
const (
	idlePark      = 300 * time.Millisecond
	idleTimeout   = 6 * time.Second
	headerTimeout = 5 * time.Second // nethttp: of TLS handshakes, too
	rateGrace     = 4 * time.Second
	shutdownLimit = 30 * time.Second // far more than any request of the rounds takes
)

// faceNetHTTP is the name of the face that behaves as net/http's server does where the two differ.
const faceNetHTTP = "nethttp"

// face is one server with its two listeners.
type face interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	Close() error
	Stats() server.Stats
}

// house is all servers of the process. It is opened and shut down as a whole.
type house struct {
	targets []target
	faces   []face
	serving sync.WaitGroup
	begun   notes
	streams atomic.Int64  // event streams now
	closing chan struct{} // closed when the house is shut down: event streams end then
}

// openHouse starts the servers.
func openHouse(cert tls.Certificate) (*house, error) {
	h := &house{closing: make(chan struct{})}
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
func (h *house) open(name string, f face) error {
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

// shutdown ends the servers in good order, and then those that did not.
func (h *house) shutdown() error {
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

func (h *house) close() {
	for _, f := range h.faces {
		f.Close()
	}
}

// stats adds the servers' counters up.
func (h *house) stats() (sum server.Stats) {
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

var _ http.Handler = (*house)(nil)
