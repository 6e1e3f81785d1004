package forward

import (
	"context"
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/sessions"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// forwarder opens the sessions of the forward command.
type forwarder struct {
	ends
	hub *sessions.Hub
}

// Run runs the forward command until a signal or an error ends it.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	s, release := cli.ExitOnSignals(con)
	defer release()
	ctx, cancel := context.WithCancel(s.Gracefully)
	defer cancel()
	f := &forwarder{ends: ends{opt: opt, con: con, ctx: ctx, newest: newNewest()}}
	if opt.maxConns > 0 {
		f.tokens = make(chan struct{}, opt.maxConns)
	}
	f.opt.Cfg.OnBroken, f.opt.Cfg.OnResumed = f.broken, f.resumed
	if f.hub, err = sessions.NewHub(&f.opt.Options, con); err != nil {
		return err
	}
	if err := f.opt.setClientCerts(); err != nil {
		return err
	}
	if err := f.openLocalPorts(); err != nil {
		return err
	}
	if opt.Listen {
		return f.listen()
	}
	return f.dial()
}

func (f *forwarder) broken(s *tcpmux.Session, err error) {
	f.logf("session %.8s: broken: %v", s.ID(), err)
}

func (f *forwarder) resumed(s *tcpmux.Session, outage time.Duration) {
	f.logf("session %.8s: resumed after %v", s.ID(), outage.Round(time.Millisecond))
}

// listen accepts sessions until f.ctx is done.
func (f *forwarder) listen() error {
	url, sum, err := f.hub.Listen()
	if err != nil {
		return err
	}
	if sum != "" {
		sum = ", certificate SHA-256 " + sum
	}
	f.logf("listening on %s%s", url, sum)
	for {
		s, err := f.hub.Listener.Accept(f.ctx)
		if err != nil {
			break
		}
		f.begin(s)
		go func() {
			<-s.Done()
			f.logf("session %.8s: %v", s.ID(), s.Err())
		}()
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.opt.Linger)
	defer cancel()
	_ = f.hub.Listener.Shutdown(ctx)
	return nil
}

// dial opens a session, and another one whenever it is lost, until f.ctx is done.
func (f *forwarder) dial() error {
	for f.ctx.Err() == nil {
		s, err := f.hub.Dial(f.ctx)
		switch {
		case f.ctx.Err() != nil:
			if err == nil {
				_ = s.Close()
			}
			return nil
		case err != nil && (f.opt.Once || sessions.Permanent(err)):
			return err
		case err != nil:
			continue // no need to wait: hub.dial retries until -handshake is over
		}
		f.begin(s)
		select {
		case <-s.Done():
			f.logf("session %.8s: %v", s.ID(), s.Err())
			var broke *tcpmux.ProtocolError
			if errors.As(s.Err(), &broke) {
				return s.Err()
			}
		case <-f.ctx.Done():
			ctx, cancel := context.WithTimeout(context.Background(), f.opt.Linger)
			_ = s.Shutdown(ctx)
			cancel()
		}
	}
	return nil
}

// begin makes s the session for local ports and serves the channels that the other end opens.
func (f *forwarder) begin(s *tcpmux.Session) {
	f.logf("session %.8s: %v", s.ID(), s.RemoteAddr())
	f.newest.set(s)
	go func() {
		for {
			ch, err := s.Accept(f.ctx)
			if err != nil {
				return
			}
			go f.serve(ch)
		}
	}()
}
