package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxSession is a session of mux's: its number, its channels, and what has not been told of it.
type muxSession struct {
	run  *muxRun
	s    *tcpmux.Session
	n    int
	told chan struct{} // closed when the session itself has been told
	over chan struct{} // closed when its end has been told

	mu       sync.Mutex
	channels map[string]*muxChannel // the newest of each name
	notices  []func()               // breaks and resumptions that are to be told
	noticing bool                   // somebody tells them
	away     bool                   // the last of them is a break
	silent   bool                   // there are to be no more
	held     int                    // commands that are being carried out, or wait for that
	ending   bool                   // no more of them
	quiet    sync.Cond              // one of the two has ended

	readers     sync.WaitGroup // of channels
	undelivered uint64         // messages that were not sent, and once it is over all that the peer does not have
}

// of returns what belongs to s, also before s has got its number.
func (r *muxRun) of(s *tcpmux.Session) *muxSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sessions[s]
	if m == nil {
		m = &muxSession{run: r, s: s, told: make(chan struct{}), over: make(chan struct{}), channels: map[string]*muxChannel{}}
		m.quiet.L = &m.mu
		r.sessions[s] = m
	}
	return m
}

// begin tells a new session and gives it a number.
func (r *muxRun) begin(s *tcpmux.Session) *muxSession {
	m := r.of(s)
	r.mu.Lock()
	r.last++
	m.n = r.last
	r.numbers = append(r.numbers, m)
	r.running.Add(1)
	r.mu.Unlock()
	r.session(m)
	close(m.told)
	go m.accept()
	return m
}

// alive reports whether the session goes on.
func (m *muxSession) alive() bool {
	select {
	case <-m.s.Done():
		return false
	default:
		return true
	}
}

// accept takes the peer's channels until the session is over, and then tells that.
func (m *muxSession) accept() {
	for {
		c, err := m.s.Accept(context.Background())
		if err != nil {
			break
		}
		m.add(c, tcpmux.Peer)
	}
	<-m.s.Done()
	m.finish()
}

// add begins with a channel. Who has opened it is told before anything else of it.
func (m *muxSession) add(c *tcpmux.Channel, by tcpmux.Side) *muxChannel {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.channels[c.Name()]
	if old != nil && old.c == c {
		return old
	}
	mc := &muxChannel{session: m, c: c, by: by, ours: by == tcpmux.Us, old: old, done: make(chan struct{}), opened: make(chan struct{})}
	mc.going.L = &mc.mu
	m.channels[c.Name()] = mc
	if old != nil {
		old.resume() // it is over, and its name is another's
	}
	m.readers.Add(1)
	go mc.read()
	return mc
}

// channel returns the newest channel with a name, nil if there is none or it is over.
func (m *muxSession) channel(name string) *muxChannel {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.channels[name]
}

// forget takes a channel that is over out of the list.
func (m *muxSession) forget(mc *muxChannel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.channels[mc.c.Name()] == mc {
		delete(m.channels, mc.c.Name())
	}
}

// finish tells the rest of a session that is over: messages of channels that were stopped as well.
func (m *muxSession) finish() {
	m.mu.Lock()
	m.ending = true
	for _, mc := range m.channels {
		mc.resume()
	}
	end := m.end()
	for m.held > 0 || m.noticing || !m.away && withoutConnection(end.Err) {
		m.quiet.Wait()
	}
	m.silent = true
	m.mu.Unlock()
	m.readers.Wait()
	m.undelivered += end.Undelivered
	m.run.tellOver(m, end)
	close(m.over)
	r := m.run
	r.mu.Lock()
	delete(r.sessions, m.s)
	r.numbers = slices.DeleteFunc(r.numbers, func(other *muxSession) bool { return other == m })
	r.mu.Unlock()
	r.running.Done()
}

// withoutConnection reports whether a session was lost for want of a connection: that it broke is told before, though the
// session may say so later.
func withoutConnection(err error) bool {
	return errors.Is(err, tcpmux.ErrAtMostOnce) || errors.Is(err, tcpmux.ErrResumeTime) || errors.Is(err, tcpmux.ErrUnknownSession) ||
		errors.Is(err, tcpmux.ErrCrowded)
}

// hold keeps the end of the session from being told until release, unless it has come.
func (m *muxSession) hold() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ending {
		return false
	}
	m.held++
	return true
}

// release is called after hold, with what sending a message has come to.
func (m *muxSession) release(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var over *tcpmux.EndError
	if errors.As(err, &over) || errors.Is(err, tcpmux.ErrClosed) {
		m.undelivered++
	}
	m.held--
	m.quiet.Broadcast()
}

// end returns how the session has ended.
func (m *muxSession) end() tcpmux.End {
	var end *tcpmux.EndError
	if errors.As(m.s.Err(), &end) {
		return end.End
	}
	return tcpmux.End{Err: m.s.Err()}
}

// lost is the program's error of a session that has ended out of order.
func (m *muxSession) lost() error {
	<-m.over
	if end := m.end(); end.Err != nil {
		return fmt.Errorf("the session is lost: %w", end.Err)
	}
	if m.undelivered > 0 {
		return fmt.Errorf("%d messages were not delivered", m.undelivered)
	}
	return nil
}

// broken and resumed are told by sessions, which do not wait until it is told on.
func (r *muxRun) broken(s *tcpmux.Session, err error) {
	m := r.of(s)
	m.notice(true, func() { r.tellBroken(m, err) })
}

func (r *muxRun) resumed(s *tcpmux.Session, outage time.Duration) {
	m, remote := r.of(s), s.RemoteAddr()
	m.notice(false, func() { r.tellResumed(m, remote, outage) })
}

// notice has tell called when its turn has come, unless the end has been told. away says that there is no connection now.
func (m *muxSession) notice(away bool, tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent {
		return
	}
	m.away = away
	m.notices = append(m.notices, tell)
	if !m.noticing {
		m.noticing = true
		go m.tellNotices()
	}
}

func (m *muxSession) tellNotices() {
	<-m.told
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.notices) > 0 {
		tell := m.notices[0]
		m.notices = m.notices[1:]
		m.mu.Unlock()
		tell()
		m.mu.Lock()
	}
	m.noticing = false
	m.quiet.Broadcast()
}
