package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// grace is how long requests in flight may take to finish after the first signal.
const grace = 10 * time.Second

// httpServer is the common part of server.Server and nethttp.Server.
type httpServer interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	RegisterOnShutdown(f func())
	Close() error
}

// untilStopped listens on addr and calls serveOn with the listener and a stop for signals. serveOn serves until it is
// told to stop, and closes the listener.
func untilStopped(addr string, serveOn func(s stop, l net.Listener) error) error {
	s, release := onSignals()
	defer release()
	l, err := server.Listen(addr)
	if err != nil {
		return err
	}
	return serveOn(s, l)
}

// runServer serves l, with TLS if secure, until the first signal, and then shuts f down. It returns an error if
// requests were still in flight after grace, unless the user cut the wait short with a second signal.
func runServer(s stop, f httpServer, l net.Listener, secure bool) error {
	served := make(chan error, 1)
	go func() {
		if secure {
			served <- f.ServeTLS(l, "", "")
		} else {
			served <- f.Serve(l)
		}
	}()
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
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		return served
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
func announce(con console, what string, l net.Listener, sec *tls.Config) {
	scheme := "http"
	if sec != nil {
		scheme = "https"
	}
	fmt.Fprintf(con.out, "listening on %s (%s)\n", listensAt(scheme, l.Addr()), what)
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
	tcp, ok := a.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return a.String()
}
