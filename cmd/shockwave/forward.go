package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// forwarder carries TCP connections through sessions.
type forwarder struct {
	opt    forwardOptions
	con    console
	hub    *sessionHub
	ctx    context.Context // ends when no more connections are to be carried
	places chan struct{}   // one is taken for each connection of a door; nil is no bound

	mu      sync.Mutex
	session *tcpmux.Session // the newest; nil while there is none
	changed chan struct{}   // closed, and replaced, when there is another one
}

// forward forwards TCP ports until it is told to end.
func forward(args []string, con console) error {
	opt, err := parseForward(args, con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	ended := make(chan struct{})
	defer close(ended) // before release ends s
	go exitAtOnce(s, ended, con)
	ctx, cancel := context.WithCancel(s.gracefully)
	defer cancel()
	f := &forwarder{opt: opt, con: con, ctx: ctx, changed: make(chan struct{})}
	if opt.most > 0 {
		f.places = make(chan struct{}, opt.most)
	}
	f.opt.cfg.OnBroken, f.opt.cfg.OnResumed = f.broken, f.resumed
	if f.hub, err = newSessionHub(&f.opt.sessionOptions, con); err != nil {
		return err
	}
	if err := f.opt.certify(); err != nil {
		return err
	}
	if err := f.openDoors(); err != nil {
		return err
	}
	if opt.listen {
		return f.listen()
	}
	return f.dial()
}

func (f *forwarder) note(format string, args ...any) { fmt.Fprintf(f.con.err, format+"\n", args...) }

func (f *forwarder) broken(s *tcpmux.Session, err error) {
	f.note("session %.8s: broken: %v", s.ID(), err)
}

func (f *forwarder) resumed(s *tcpmux.Session, outage time.Duration) {
	f.note("session %.8s: resumed after %v", s.ID(), outage.Round(time.Millisecond))
}

// listen takes sessions until the end.
func (f *forwarder) listen() error {
	url, sum, err := f.hub.listen()
	if err != nil {
		return err
	}
	if sum != "" {
		sum = ", certificate SHA-256 " + sum
	}
	f.note("listening on %s%s", url, sum)
	for {
		s, err := f.hub.listener.Accept(f.ctx)
		if err != nil {
			break
		}
		f.begin(s)
		go func() {
			<-s.Done()
			f.note("session %.8s: %v", s.ID(), s.Err())
		}()
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.opt.linger)
	defer cancel()
	return f.hub.listener.Close(ctx)
}

// dial has a session, and when it is lost the next one, until the end.
func (f *forwarder) dial() error {
	for f.ctx.Err() == nil {
		s, err := f.hub.dial(f.ctx)
		switch {
		case f.ctx.Err() != nil:
			if err == nil {
				s.Abort()
			}
			return nil
		case err != nil && (f.opt.once || permanent(err)):
			return err
		case err != nil:
			continue // dial has taken its time
		}
		f.begin(s)
		select {
		case <-s.Done():
			f.note("session %.8s: %v", s.ID(), s.Err())
			var broke *tcpmux.ProtocolError
			if errors.As(s.Err(), &broke) {
				return s.Err()
			}
		case <-f.ctx.Done():
			ctx, cancel := context.WithTimeout(context.Background(), f.opt.linger)
			s.Close(ctx)
			cancel()
		}
	}
	return nil
}

// begin carries connections through a new session.
func (f *forwarder) begin(s *tcpmux.Session) {
	f.note("session %.8s: %v", s.ID(), s.RemoteAddr())
	f.mu.Lock()
	f.session = s
	close(f.changed)
	f.changed = make(chan struct{})
	f.mu.Unlock()
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

// current returns the newest session. If it is over, or there has been none, the next one is waited for.
func (f *forwarder) current(ctx context.Context) (*tcpmux.Session, error) {
	for {
		f.mu.Lock()
		s, changed := f.session, f.changed
		f.mu.Unlock()
		if s != nil && s.Err() == nil {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errors.New("there is no session")
		}
	}
}

// openDoors listens for programs.
func (f *forwarder) openDoors() error {
	for _, d := range f.opt.doors {
		l, err := net.Listen("tcp", d.addr)
		if err != nil {
			return err
		}
		f.note("forwarding %v to %s", l.Addr(), d.service)
		context.AfterFunc(f.ctx, func() { l.Close() })
		go f.attend(l.(*net.TCPListener), d.service)
	}
	return nil
}
