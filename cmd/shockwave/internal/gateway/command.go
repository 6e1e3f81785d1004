package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/accesslog"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/server"
)

// Run runs the gateway command until a signal or an error ends it.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	s, release := cli.ExitOnSignals(con)
	defer release()
	return serve(s, opt, con)
}

// serve runs a gateway until the first signal.
func serve(s cli.Stop, opt options, con cli.Console) error {
	sec, err := opt.certs.Listening()
	if err != nil {
		return err
	}
	if opt.cfg.TLS, err = opt.certs.Dialling(); err != nil {
		return err
	}
	log, err := accesslog.Open(opt.logFile, con)
	if err != nil {
		return err
	}
	defer log.Close()
	opt.cfg.OnEnd, opt.cfg.Logger = func(r Report) { logTo(log, r) }, cli.NewLogger(con)
	g := New(opt.cfg)
	srv := server.NewServer(server.Config{
		Handler: g, TLSConfig: sec, Logger: cli.NewLogger(con),
		ReadHeaderTimeout: opt.handshake, TLSHandshakeTimeout: opt.handshake, IdleTimeout: opt.handshake,
	})
	served, err := serveAll(srv, opt.listen, sec, con)
	if err != nil {
		srv.Close()
		return err
	}
	select {
	case err = <-served:
	case <-s.Gracefully.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), opt.cfg.Linger+cli.CutOffDelay)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- srv.Shutdown(ctx) }()
	cut := g.Shutdown(ctx)
	if <-stopped != nil {
		srv.Close()
	}
	if err == nil && cut > 0 {
		err = fmt.Errorf("%d peers or services did not get everything within %v", cut, opt.cfg.Linger)
	}
	return err
}

// serveAll listens on all addresses, announces them and serves them. An error of a listener is sent to served.
func serveAll(srv *server.Server, addresses []address, sec *tls.Config, con cli.Console) (served <-chan error, err error) {
	var all []net.Listener
	for _, at := range addresses {
		l, err := server.Listen(at.host)
		if err != nil {
			for _, l := range all {
				l.Close()
			}
			return nil, err
		}
		all = append(all, l)
	}
	failed := make(chan error, len(all))
	for i, l := range all {
		scheme, serve, sum := "ws", srv.Serve, ""
		if addresses[i].secure {
			scheme, sum = "wss", ", certificate SHA-256 "+certs.Sum(sec)
			serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
		}
		fmt.Fprintf(con.Err, "listening on %s://%s%s\n", scheme, l.Addr(), sum)
		go func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	return failed, nil
}

// logTo logs a connection that has ended, or a request that was refused.
func logTo(l *accesslog.Log, r Report) {
	if l == nil {
		return
	}
	e := accesslog.Exchange{
		Remote: r.Remote, Method: r.Method, Target: r.Target, Protocol: r.Protocol, Referer: r.Referer, Agent: r.Agent,
		Status: r.Status, Bytes: -1, Extra: "origin=" + accesslog.Field(r.Origin),
	}
	if r.Status == http.StatusSwitchingProtocols {
		e.Bytes = r.Out
		e.Extra += fmt.Sprintf(" to=%s in=%d out=%d by=%s end=%s code=%d text=%s", r.To, r.In, r.Out, r.End.By, r.End.Reason, uint16(r.End.Code), accesslog.Field(r.End.Text))
		if r.End.Err != nil {
			e.Extra += " error=" + accesslog.Field(r.End.Err.Error())
		}
	}
	l.Write(e, r.Start.Truncate(time.Microsecond))
}
