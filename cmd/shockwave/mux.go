package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxRun is a run of the mux command.
type muxRun struct {
	muxEvents
	opt   muxOptions
	sends *jsontalk.Waiting[*muxChannel]
	hub   *sessionHub

	mu       sync.Mutex
	sessions map[*tcpmux.Session]*muxSession // sessions that have not ended
	numbers  []*muxSession                   // the same, in the order of their numbers
	last     int                             // number of the newest session
	closed   int                             // sessions that were closed in an orderly way
	running  sync.WaitGroup                  // sessions whose last event is not written
}

// mux runs the mux command until a signal, the end of stdin, a close command or an error ends it.
func mux(args []string, con console) error {
	opt, err := parseMux(args, con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	ended := make(chan struct{})
	defer close(ended) // runs before release, which also ends s.now
	go exitAtOnce(s, ended, con)
	r := &muxRun{
		muxEvents: muxEvents{
			commandLoop: commandLoop{con: con, json: opt.json, out: jsontalk.NewOutput(con.out), done: make(chan struct{})},
			digest:      opt.digest,
		},
		opt: opt, sends: jsontalk.NewWaiting[*muxChannel](), sessions: map[*tcpmux.Session]*muxSession{},
	}
	r.opt.cfg.OnBroken, r.opt.cfg.OnResumed = r.onBroken, r.onResumed
	r.hub, err = newSessionHub(&r.opt.sessionOptions, con)
	if err != nil {
		return err
	}
	if opt.listen {
		return r.listen(s, con.stdin())
	}
	return r.dial(s, con.stdin())
}

// listen runs a listener until a signal, a command or the loss of stdout ends it.
func (r *muxRun) listen(s stop, stdin io.Reader) error {
	url, sum, err := r.hub.listen()
	if err != nil {
		return err
	}
	r.listening(url, sum)
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			session, err := r.hub.listener.Accept(context.Background())
			if err != nil {
				return
			}
			r.begin(session)
		}
	}()
	go r.readInput(stdin, r)
	select {
	case <-s.gracefully.Done():
	case <-r.done:
	case <-r.out.Failed():
	}
	return r.close(func(ctx context.Context) {
		_ = r.hub.listener.Shutdown(ctx)
		<-accepted
	})
}

// dial runs a session until it ends, or a signal, the end of stdin, a command or the loss of stdout ends it.
func (r *muxRun) dial(s stop, stdin io.Reader) error {
	session, err := r.hub.dial(s.gracefully)
	if err != nil {
		if s.gracefully.Err() != nil {
			return r.close(func(context.Context) {})
		}
		r.end()
		return errors.Join(err, r.out.Close())
	}
	m := r.begin(session)
	go r.readInput(stdin, r)
	select {
	case <-s.gracefully.Done():
	case <-r.done:
	case <-r.out.Failed():
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
func (r *muxRun) close(finish func(context.Context)) error {
	r.end()
	by := time.Now().Add(r.opt.linger)
	ctx, cancel := context.WithDeadline(context.Background(), by)
	r.sends.Done(ctx)
	cancel()
	r.mu.Lock()
	left, before := slices.Clone(r.numbers), r.closed
	r.mu.Unlock()
	ctx, cancel = context.WithDeadline(context.Background(), by.Add(cutOffDelay))
	finish(ctx)
	cancel()
	r.running.Wait()
	var undelivered uint64
	for _, m := range left {
		undelivered += m.undelivered
	}
	r.mu.Lock()
	told := r.closed > before || r.last > 0 && !r.opt.listen
	r.mu.Unlock()
	if !told && r.opt.json { // no session has written a closed event for the end of the run
		r.out.Event("closed").Str("by", tcpmux.SideLocal.String()).Int("undelivered", int64(undelivered)).End()
	}
	if err := r.out.Close(); err != nil {
		return err
	}
	return notDelivered(undelivered)
}

// find returns the open session with number n, or the newest one if n is nil. It returns nil if there is none.
func (r *muxRun) find(n *int) *muxSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.numbers) - 1; i >= 0; i-- {
		if m := r.numbers[i]; (n == nil || *n == m.n) && m.alive() {
			return m
		}
	}
	return nil
}

// sessionOf returns the muxSession of s. It creates it if necessary: callbacks may come before begin has given s a
// number.
func (r *muxRun) sessionOf(s *tcpmux.Session) *muxSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sessions[s]
	if m == nil {
		m = &muxSession{
			tells: &r.muxEvents, echo: r.opt.echo, closed: r.sessionClosed, s: s,
			announced: make(chan struct{}), done: make(chan struct{}), channels: map[string]*muxChannel{},
		}
		m.gone = func() { r.gone(m) }
		m.changed.L = &m.mu
		r.sessions[s] = m
	}
	return m
}

// begin gives a new session its number, writes the session event and starts accepting channels.
func (r *muxRun) begin(s *tcpmux.Session) *muxSession {
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
func (r *muxRun) sessionClosed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

// gone forgets a session whose last event is written.
func (r *muxRun) gone(m *muxSession) {
	r.mu.Lock()
	delete(r.sessions, m.s)
	r.numbers = slices.DeleteFunc(r.numbers, func(other *muxSession) bool { return other == m })
	r.mu.Unlock()
	r.running.Done()
}

// onBroken and onResumed are the session's callbacks. They must not block, so the events are written by another goroutine.
func (r *muxRun) onBroken(s *tcpmux.Session, err error) {
	m := r.sessionOf(s)
	m.notice(true, func() { r.broken(m.n, err) })
}

func (r *muxRun) onResumed(s *tcpmux.Session, outage time.Duration) {
	m, remote := r.sessionOf(s), s.RemoteAddr()
	m.notice(false, func() { r.resumed(m.n, remote, outage) })
}
