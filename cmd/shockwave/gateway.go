package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/gateway"
	"github.com/shockwave-go/shockwave/server"
)

// runGateway runs the gateway command until a signal or an error ends it.
func runGateway(args []string, con console) error {
	opt, err := parseGateway(args, con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	ended := make(chan struct{})
	defer close(ended) // runs before release, which also ends s.now
	go exitAtOnce(s, ended, con)
	return serveGateway(s, opt, con)
}

// serveGateway runs a gateway until the first signal.
func serveGateway(s stop, opt gatewayOptions, con console) error {
	sec, err := opt.certs.listening()
	if err != nil {
		return err
	}
	if opt.cfg.TLS, err = opt.certs.dialling(); err != nil {
		return err
	}
	log, err := openAccessLog(opt.logFile, con)
	if err != nil {
		return err
	}
	defer log.close()
	opt.cfg.OnEnd, opt.cfg.Logger = log.gateway, newLogger(con)
	g := gateway.New(opt.cfg)
	srv := server.NewServer(server.Config{
		Handler: g, TLSConfig: sec, Logger: newLogger(con),
		ReadHeaderTimeout: opt.handshake, TLSHandshakeTimeout: opt.handshake, IdleTimeout: opt.handshake,
	})
	served, err := serveAll(srv, opt.listen, sec, con)
	if err != nil {
		srv.Close()
		return err
	}
	select {
	case err = <-served:
	case <-s.gracefully.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), opt.cfg.Linger+cutOffDelay)
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
func serveAll(srv *server.Server, addresses []gatewayAddress, sec *tls.Config, con console) (served <-chan error, err error) {
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
			scheme, sum = "wss", ", certificate SHA-256 "+certSum(sec)
			serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
		}
		fmt.Fprintf(con.err, "listening on %s://%s%s\n", scheme, l.Addr(), sum)
		go func() {
			if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	return failed, nil
}

// gateway logs a connection that has ended, or a request that was refused.
func (l *accessLog) gateway(r gateway.Report) {
	if l == nil {
		return
	}
	e := exchange{
		remote: r.Remote, method: r.Method, target: r.Target, protocol: r.Protocol, referer: r.Referer, agent: r.Agent,
		status: r.Status, bytes: -1, extra: "origin=" + field(r.Origin),
	}
	if r.Status == http.StatusSwitchingProtocols {
		e.bytes = r.Out
		e.extra += fmt.Sprintf(" to=%s in=%d out=%d by=%s end=%s code=%d text=%s", r.To, r.In, r.Out, r.End.By, r.End.Reason, uint16(r.End.Code), field(r.End.Text))
		if r.End.Err != nil {
			e.extra += " error=" + field(r.End.Err.Error())
		}
	}
	l.write(e, r.Start.Truncate(time.Microsecond))
}
