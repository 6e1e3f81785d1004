package forward

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// ends is where forwarded connections begin and end on this side: the -L addresses, which are the local ports, and the -to
// addresses, which are services that it dials for the other end.
type ends struct {
	opt    options
	con    cli.Console
	ctx    context.Context // done when no new connections are to be forwarded
	tokens chan struct{}   // a token for each connection of a local port; nil if unlimited
	newest *newest
}

func (e *ends) logf(format string, args ...any) { fmt.Fprintf(e.con.Err, format+"\n", args...) }

// openLocalPorts listens on the local ports.
func (e *ends) openLocalPorts() error {
	for _, d := range e.opt.localPorts {
		l, err := net.Listen("tcp", d.addr)
		if err != nil {
			return err
		}
		e.logf("forwarding %v to %s", l.Addr(), d.service)
		context.AfterFunc(e.ctx, func() { l.Close() })
		go e.acceptLocal(l.(*net.TCPListener), d.service)
	}
	return nil
}

// acceptLocal accepts the connections of a local port.
func (e *ends) acceptLocal(l *net.TCPListener, service string) {
	for {
		if e.tokens != nil {
			e.tokens <- struct{}{}
		}
		nc, err := l.AcceptTCP()
		switch {
		case e.ctx.Err() != nil:
			return
		case err != nil:
			e.logf("shockwave: %v", err)
			if e.tokens != nil {
				<-e.tokens
			}
			time.Sleep(50 * time.Millisecond) // probably out of file descriptors
			continue
		}
		go func() {
			e.forwardLocal(nc, service)
			if e.tokens != nil {
				<-e.tokens
			}
		}()
	}
}

// forwardLocal forwards a connection of a local port to its service at the other end.
func (e *ends) forwardLocal(nc *net.TCPConn, service string) {
	ctx := e.ctx
	if t := e.opt.Cfg.HandshakeTimeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	s, err := e.newest.wait(ctx)
	if err == nil {
		var ch *tcpmux.Channel
		if ch, err = s.OpenWith("", tcpmux.Options{Metadata: []byte(service)}); err == nil {
			e.relay(nc, ch, service)
			return
		}
	}
	e.logf("shockwave: %v to %s: %v", nc.RemoteAddr(), service, err)
	abort(nc)
}

// serve forwards a channel that the other end has opened to one of our services.
func (e *ends) serve(ch *tcpmux.Channel) {
	name := string(ch.Metadata())
	addr := e.opt.services[name]
	if addr == "" {
		e.logf("shockwave: the peer asks for %q, which is not offered", name)
		_ = ch.Reset(codeNoService)
		return
	}
	nc, err := (&net.Dialer{Timeout: e.opt.dialTimeout}).DialContext(e.ctx, "tcp", addr)
	if err != nil {
		e.logf("shockwave: %s: %v", name, err)
		_ = ch.Reset(codeNoAnswer)
		return
	}
	e.relay(nc.(*net.TCPConn), ch, name)
}

// relay carries a connection until both directions have ended.
func (e *ends) relay(nc *net.TCPConn, ch *tcpmux.Channel, service string) {
	if why := relay(nc, ch); why != "" {
		e.logf("shockwave: %s: %s", service, why)
	}
}
