package mux

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// session is a session of the mux command: its number, its channels and the events that are still to be written.
type session struct {
	tells     *events
	echo      bool   // send every message back
	closed    func() // is called before the closed event
	gone      func() // is called after the last event
	s         *tcpmux.Session
	n         int
	announced chan struct{} // closed when the session event is written
	done      chan struct{} // closed when the lost or closed event is written

	mu            sync.Mutex
	channels      map[string]*channel // by name; the newest one if a name was used again
	notices       []func()            // write the broken and resumed events that are still to come
	noticing      bool                // tellNotices runs
	away          bool                // the newest of them is a broken event
	noMoreNotices bool                // no more broken and resumed events
	held          int                 // commands that are running or waiting for their turn
	ending        bool                // no more commands are accepted
	changed       sync.Cond           // signalled when a command or tellNotices ends

	readers     sync.WaitGroup // goroutines of channels
	undelivered uint64         // messages that were not sent; after the end, all that the peer does not have
}

// alive reports whether the session has not ended.
func (m *session) alive() bool {
	select {
	case <-m.s.Done():
		return false
	default:
		return true
	}
}

// accept accepts the peer's channels until the session ends, and then writes the remaining events.
func (m *session) accept() {
	for {
		c, err := m.s.Accept(context.Background())
		if err != nil {
			break
		}
		m.add(c, tcpmux.SidePeer)
	}
	<-m.s.Done()
	m.finish()
}

// add returns the channel of c. If it is new, add starts reading the channel; the open event comes before all its
// other events.
func (m *session) add(c *tcpmux.Channel, by tcpmux.Side) *channel {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.channels[c.Name()]
	if old != nil && old.c == c {
		return old
	}
	mc := &channel{
		s: m.s, c: c, at: place{m.n, c.Name()}, by: by, tells: m.tells, echo: m.echo, readers: &m.readers,
		ours: by == tcpmux.SideLocal, previous: old, done: make(chan struct{}), opened: make(chan struct{}),
	}
	mc.forget = func() { m.forget(mc) }
	mc.unpaused.L = &mc.mu
	m.channels[c.Name()] = mc
	if old != nil {
		old.resume() // the old channel has ended: let its last events be written
	}
	m.readers.Add(1)
	go mc.read()
	return mc
}

// open opens a channel. If the peer has opened a channel with that name and this side has not, open returns that
// channel.
func (m *session) open(name string) (*channel, error) {
	c, err := m.s.Open(name)
	if err == nil {
		mc := m.add(c, tcpmux.SideLocal)
		<-mc.opened
		return mc, nil
	}
	if errors.Is(err, tcpmux.ErrChannelExists) {
		if c = m.s.Channel(name); c != nil {
			if mc := m.add(c, tcpmux.SidePeer); mc.claim() {
				return mc, nil
			}
		}
	}
	return nil, channelError(m.s, name, err)
}

// channel returns the newest channel with a name, or nil if there is none or it has ended.
func (m *session) channel(name string) *channel {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.channels[name]
}

// forget removes a channel that has ended.
func (m *session) forget(mc *channel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.channels[mc.c.Name()] == mc {
		delete(m.channels, mc.c.Name())
	}
}

// finish writes the remaining events of a session that has ended, including the messages of paused channels.
func (m *session) finish() {
	m.mu.Lock()
	m.ending = true
	for _, mc := range m.channels {
		mc.resume()
	}
	end := m.end()
	for m.held > 0 || m.noticing || !m.away && withoutConnection(end.Err) {
		m.changed.Wait()
	}
	m.noMoreNotices = true
	m.mu.Unlock()
	m.readers.Wait()
	m.undelivered += uint64(end.Undelivered)
	if end.Err == nil {
		m.closed()
	}
	m.tells.over(m.n, end, m.undelivered)
	close(m.done)
	m.gone()
}

// withoutConnection reports whether err is one with which a session ends after its connection broke. The broken event
// must then come first, although the callback for it may come after the end of the session.
func withoutConnection(err error) bool {
	return errors.Is(err, tcpmux.ErrConnectionLost) || errors.Is(err, tcpmux.ErrResumeTimeout) || errors.Is(err, tcpmux.ErrUnknownSession) ||
		errors.Is(err, tcpmux.ErrEvicted)
}

// hold delays the last event of the session until release is called. It reports false if the session has already ended.
func (m *session) hold() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ending {
		return false
	}
	m.held++
	return true
}

// release ends a hold. err is the result of the message that was sent, if one was.
func (m *session) release(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var over *tcpmux.EndError
	if errors.As(err, &over) || errors.Is(err, tcpmux.ErrClosed) {
		m.undelivered++
	}
	m.held--
	m.changed.Broadcast()
}

// end returns how the session ended.
func (m *session) end() tcpmux.EndError {
	var end *tcpmux.EndError
	if errors.As(m.s.Err(), &end) {
		return *end
	}
	return tcpmux.EndError{Err: m.s.Err()}
}

// lost waits for the last event of the session. It returns the program's error if the session was lost or messages were not
// delivered.
func (m *session) lost() error {
	<-m.done
	if end := m.end(); end.Err != nil {
		return fmt.Errorf("the session is lost: %w", end.Err)
	}
	return jsontalk.NotDelivered(m.undelivered)
}

// notice queues tell, which writes an event, unless the session's last event is already due. away says whether the
// event is a broken one.
func (m *session) notice(away bool, tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noMoreNotices {
		return
	}
	m.away = away
	m.notices = append(m.notices, tell)
	if !m.noticing {
		m.noticing = true
		go m.tellNotices()
	}
}

func (m *session) tellNotices() {
	<-m.announced
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
	m.changed.Broadcast()
}
