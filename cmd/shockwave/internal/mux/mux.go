package mux

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/sessions"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// run is a run of the mux command.
type run struct {
	events
	opt   options
	sends *jsontalk.Waiting[*channel]
	hub   *sessions.Hub

	mu       sync.Mutex
	sessions map[*tcpmux.Session]*session // sessions that have not ended
	numbers  []*session                   // the same, in the order of their numbers
	last     int                          // number of the newest session
	closed   int                          // sessions that were closed in an orderly way
	running  sync.WaitGroup               // sessions whose last event is not written
}

// Run runs the mux command until a signal, the end of stdin, a close command or an error ends it.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	s, release := cli.ExitOnSignals(con)
	defer release()
	r := &run{
		events: events{
			Loop:   jsontalk.Loop{Errs: con.Err, JSON: opt.json, Out: jsontalk.NewOutput(con.Out), Done: make(chan struct{})},
			digest: opt.digest,
		},
		opt: opt, sends: jsontalk.NewWaiting[*channel](), sessions: map[*tcpmux.Session]*session{},
	}
	r.opt.Cfg.OnBroken, r.opt.Cfg.OnResumed = r.onBroken, r.onResumed
	r.hub, err = sessions.NewHub(&r.opt.Options, con)
	if err != nil {
		return err
	}
	if opt.Listen {
		return r.listen(s, con.Stdin())
	}
	return r.dial(s, con.Stdin())
}

// listen runs a listener until a signal, a command or the loss of stdout ends it.
func (r *run) listen(s cli.Stop, stdin io.Reader) error {
	url, sum, err := r.hub.Listen()
	if err != nil {
		return err
	}
	r.ReportListening(url, sum)
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			session, err := r.hub.Listener.Accept(context.Background())
			if err != nil {
				return
			}
			r.begin(session)
		}
	}()
	go r.ReadInput(stdin, r)
	select {
	case <-s.Gracefully.Done():
	case <-r.Done:
	case <-r.Out.Failed():
	}
	return r.close(func(ctx context.Context) {
		_ = r.hub.Listener.Shutdown(ctx)
		<-accepted
	})
}

// dial runs a session until it ends, or a signal, the end of stdin, a command or the loss of stdout ends it.
func (r *run) dial(s cli.Stop, stdin io.Reader) error {
	session, err := r.hub.Dial(s.Gracefully)
	if err != nil {
		if s.Gracefully.Err() != nil {
			return r.close(func(context.Context) {})
		}
		r.End()
		return errors.Join(err, r.Out.Close())
	}
	m := r.begin(session)
	go r.ReadInput(stdin, r)
	select {
	case <-s.Gracefully.Done():
	case <-r.Done:
	case <-r.Out.Failed():
	case <-session.Done():
	}
	err = r.close(func(ctx context.Context) { _ = session.Shutdown(ctx) })
	if lost := m.lost(); lost != nil {
		return lost
	}
	return err
}

// close waits until the queued messages are sent, for at most -linger, closes the sessions with finish, and returns
// after the last event is written.
func (r *run) close(finish func(context.Context)) error {
	r.End()
	by := time.Now().Add(r.opt.Linger)
	ctx, cancel := context.WithDeadline(context.Background(), by)
	r.sends.Done(ctx)
	cancel()
	r.mu.Lock()
	left, before := slices.Clone(r.numbers), r.closed
	r.mu.Unlock()
	ctx, cancel = context.WithDeadline(context.Background(), by.Add(cli.CutOffDelay))
	finish(ctx)
	cancel()
	r.running.Wait()
	var undelivered uint64
	for _, m := range left {
		undelivered += m.undelivered
	}
	r.mu.Lock()
	told := r.closed > before || r.last > 0 && !r.opt.Listen
	r.mu.Unlock()
	if !told && r.opt.json { // no session has written a closed event for the end of the run
		r.Out.Event("closed").Str("by", tcpmux.SideLocal.String()).Int("undelivered", int64(undelivered)).End()
	}
	if err := r.Out.Close(); err != nil {
		return err
	}
	return jsontalk.NotDelivered(undelivered)
}

// find returns the open session with number n, or the newest one if n is nil. It returns nil if there is none.
func (r *run) find(n *int) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.numbers) - 1; i >= 0; i-- {
		if m := r.numbers[i]; (n == nil || *n == m.n) && m.alive() {
			return m
		}
	}
	return nil
}

// sessionOf returns the session of s. It creates it if necessary: callbacks may come before begin has given s a
// number.
func (r *run) sessionOf(s *tcpmux.Session) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sessions[s]
	if m == nil {
		m = &session{
			tells: &r.events, echo: r.opt.echo, closed: r.sessionClosed, s: s,
			announced: make(chan struct{}), done: make(chan struct{}), channels: map[string]*channel{},
		}
		m.gone = func() { r.gone(m) }
		m.changed.L = &m.mu
		r.sessions[s] = m
	}
	return m
}

// begin gives a new session its number, writes the session event and starts accepting channels.
func (r *run) begin(s *tcpmux.Session) *session {
	m := r.sessionOf(s)
	r.mu.Lock()
	r.last++
	m.n = r.last
	r.numbers = append(r.numbers, m)
	r.running.Add(1)
	r.mu.Unlock()
	r.session(m.n, s)
	close(m.announced)
	go m.accept()
	return m
}

// sessionClosed counts a session that ends in an orderly way.
func (r *run) sessionClosed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

// gone forgets a session whose last event is written.
func (r *run) gone(m *session) {
	r.mu.Lock()
	delete(r.sessions, m.s)
	r.numbers = slices.DeleteFunc(r.numbers, func(other *session) bool { return other == m })
	r.mu.Unlock()
	r.running.Done()
}

// onBroken and onResumed are the session's callbacks. They must not block, so the events are written by another goroutine.
func (r *run) onBroken(s *tcpmux.Session, err error) {
	m := r.sessionOf(s)
	m.notice(true, func() { r.broken(m.n, err) })
}

func (r *run) onResumed(s *tcpmux.Session, outage time.Duration) {
	m, remote := r.sessionOf(s), s.RemoteAddr()
	m.notice(false, func() { r.resumed(m.n, remote, outage) })
}
