package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/websocket"
)

// grace is how long requests in flight may take to finish after the first signal.
const grace = 10 * time.Second

// httpServer is the common part of server.Server and nethttp.Server.
type httpServer interface {
	http3.Host
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	RegisterOnShutdown(f func())
	Close() error
}

// untilStopped listens and calls serveOn with the site and a stop for signals. serveOn serves until it is told to stop. The site
// is closed in the end.
func untilStopped(opt siteOptions, con console, serveOn func(s stop, at site) error) error {
	s, release := onSignals()
	defer release()
	at, err := opt.open(con)
	if err != nil {
		return err
	}
	defer at.close()
	return serveOn(s, at)
}

// serveAt has f serve a site. It returns as soon as one of its listeners ends.
func serveAt(f httpServer, at site) (served chan error, listeners int) {
	served = make(chan error, 2)
	serve := func(f func() error) {
		listeners++
		go func() { served <- f() }()
	}
	if at.l != nil && at.tls {
		serve(func() error { return f.ServeTLS(at.l, "", "") })
	} else if at.l != nil {
		serve(func() error { return f.Serve(at.l) })
	}
	if at.udp != nil {
		serve(func() error { return http3.NewServer(f, http3.Config{}).Serve(at.udp, "", "") })
	}
	return served, listeners
}

// runServer serves a site until the first signal, and then shuts f down. It returns an error if requests were still in flight
// after grace, unless the user cut the wait short with a second signal.
func runServer(s stop, f httpServer, at site) error {
	served, listeners := serveAt(f, at)
	select {
	case err := <-served:
		return err
	case <-s.gracefully.Done():
	}
	ctx, cancel := context.WithTimeout(s.now, grace)
	defer cancel()
	err := f.Shutdown(ctx)
	if err != nil {
		f.Close()
	}
	for range listeners {
		if served := <-served; !errors.Is(served, http.ErrServerClosed) {
			return served
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("some requests did not finish within %v and were cut off", grace)
	}
	if s.now.Err() != nil {
		return nil
	}
	return err
}

// announce prints a line with the address the program listens on and what it serves, and with TLS a second line with
// the certificate's fingerprint.
func announce(con console, what string, at site, sec *tls.Config) {
	scheme := "http"
	if sec != nil {
		scheme = "https"
	}
	switch {
	case at.l == nil:
		what += "; HTTP/3 alone"
	case at.udp != nil:
		what += "; HTTP/3, too"
	}
	fmt.Fprintf(con.out, "listening on %s (%s)\n", listensAt(scheme, at.addr()), what)
	if sec == nil {
		return
	}
	fmt.Fprintf(con.out, "certificate SHA-256 %s\n", fingerprint(sec.Certificates[0].Certificate[0]))
}

// listensAt returns the URL of a server at a, or for a Unix socket what -addr was given.
func listensAt(scheme string, a net.Addr) string {
	if a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return scheme + "://" + dialable(a) + "/"
}

// dialable returns the address a browser can open: for the unspecified address (0.0.0.0 or ::) that is localhost.
func dialable(a net.Addr) string {
	if ap, err := netip.ParseAddrPort(a.String()); err == nil && ap.Addr().IsUnspecified() {
		return fmt.Sprintf("localhost:%d", ap.Port())
	}
	return a.String()
}

// webSocketServer is an httpServer with WebSocket connections, which outlive the requests they started as.
type webSocketServer struct {
	httpServer
	group *websocket.Group
}

// Shutdown closes the WebSocket connections with code 1001 and shuts down the server. Both finish what is in flight.
func (t *webSocketServer) Shutdown(ctx context.Context) error {
	t.RegisterOnShutdown(func() { t.group.Shutdown(ctx) })
	return errors.Join(t.httpServer.Shutdown(ctx), t.group.Shutdown(ctx))
}
