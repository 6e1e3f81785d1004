package site

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/http3"
)

// Grace is how long requests in flight may take to finish after the first signal.
const Grace = 10 * time.Second

// Server is the common part of server.Server and nethttp.Server.
type Server interface {
	http3.Host
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	RegisterOnShutdown(f func())
	Close() error
}

// Command is a command that serves a site.
type Command interface {
	Where() Options
	ServeOn(s cli.Stop, at Site, con cli.Console) error // serves at until s says that it is to stop
}

// UntilStopped listens and has opt serve there until signals come. The site is closed in the end.
func UntilStopped(opt Command, con cli.Console) error {
	s, release := cli.OnSignals()
	defer release()
	where := opt.Where()
	at, err := where.Open(con)
	if err != nil {
		return err
	}
	defer at.Close()
	return opt.ServeOn(s, at, con)
}

// ServeOn has f serve a site. It returns as soon as one of its listeners ends.
func ServeOn(f Server, at Site) (served chan error, listeners int) {
	served = make(chan error, 2)
	serve := func(f func() error) {
		listeners++
		go func() { served <- f() }()
	}
	if at.Listener != nil && at.tls {
		serve(func() error { return f.ServeTLS(at.Listener, "", "") })
	} else if at.Listener != nil {
		serve(func() error { return f.Serve(at.Listener) })
	}
	if at.UDP != nil {
		serve(func() error { return http3.NewServer(f, http3.Config{}).Serve(at.UDP, "", "") })
	}
	return served, listeners
}

// Outlasting is connections that go on when the requests they began as are over, such as a websocket.Group.
type Outlasting interface {
	Shutdown(ctx context.Context) error
}

// Run serves a site until the first signal, and then shuts f down. It returns an error if requests were still in flight
// after Grace, unless the user cut the wait short with a second signal. What is beside f is shut down with it.
func Run(s cli.Stop, f Server, at Site, beside ...Outlasting) error {
	served, listeners := ServeOn(f, at)
	select {
	case err := <-served:
		return err
	case <-s.Gracefully.Done():
	}
	ctx, cancel := context.WithTimeout(s.Now, Grace)
	defer cancel()
	err := shutDown(ctx, f, beside)
	if err != nil {
		f.Close()
	}
	for range listeners {
		if served := <-served; !errors.Is(served, http.ErrServerClosed) {
			return served
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("some requests did not finish within %v and were cut off", Grace)
	}
	if s.Now.Err() != nil {
		return nil
	}
	return err
}

// Announce prints a line with the address the program listens on and what it serves, and with TLS a second line with
// the certificate's fingerprint.
func Announce(con cli.Console, what string, at Site, sec *tls.Config) {
	scheme := "http"
	if sec != nil {
		scheme = "https"
	}
	switch {
	case at.Listener == nil:
		what += "; HTTP/3 alone"
	case at.UDP != nil:
		what += "; HTTP/3, too"
	}
	fmt.Fprintf(con.Out, "listening on %s (%s)\n", listensAt(scheme, at.Addr()), what)
	if sec == nil {
		return
	}
	fmt.Fprintf(con.Out, "certificate SHA-256 %s\n", certs.Fingerprint(sec.Certificates[0].Certificate[0]))
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

// shutDown shuts down f and what is beside it. All of them finish what is in flight.
func shutDown(ctx context.Context, f Server, beside []Outlasting) error {
	for _, o := range beside {
		f.RegisterOnShutdown(func() { _ = o.Shutdown(ctx) })
	}
	err := f.Shutdown(ctx)
	for _, o := range beside {
		err = errors.Join(err, o.Shutdown(ctx))
	}
	return err
}
