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

// front is what server.Server and nethttp.Server have in common.
type front interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	RegisterOnShutdown(f func())
	Close() error
}

// untilStopped listens on addr and has serveOn serve there until a signal comes; serveOn closes the listener.
func untilStopped(addr string, serveOn func(s stop, l net.Listener) error) error {
	s, release := onSignals()
	defer release()
	l, err := server.Listen(addr)
	if err != nil {
		return err
	}
	return serveOn(s, l)
}

// runFront serves l, with TLS if secure, until s says stop, then lets what is in flight finish. It is an error when the
// grace was not enough, but not when the user asked for the end twice.
func runFront(s stop, f front, l net.Listener, secure bool) error {
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

// announce prints the one line that says where the program listens and what for, and with TLS a second one to know the
// certificate by.
func announce(con console, what string, l net.Listener, sec *tls.Config) {
	if sec == nil {
		fmt.Fprintf(con.out, "listening on http://%s/ (%s)\n", dialable(l.Addr()), what)
		return
	}
	fmt.Fprintf(con.out, "listening on https://%s/ (%s)\n", dialable(l.Addr()), what)
	fmt.Fprintf(con.out, "certificate SHA-256 %s\n", fingerprint(sec.Certificates[0].Certificate[0]))
}

// dialable is the address to open in a browser: the unspecified address is no place one can go to.
func dialable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return a.String()
}
