package tcpmux

import (
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// lounge is a listener without connections, whose sessions wait for their peers.
type lounge struct {
	*testing.T
	*Listener
	n byte
}

func newLounge(t *testing.T, cfg Config) *lounge {
	return &lounge{T: t, Listener: &Listener{
		cfg: cfg.settings(), sessions: map[muxframe.ID]*Session{}, closedSessions: map[muxframe.ID]uint64{}, acceptReady: make(chan struct{}, 1),
	}}
}

// comes returns a session that holds a message of so many bytes, and waits.
func (l *lounge) comes(size int) *Session {
	l.Helper()
	l.n++
	s := lonely(Config{})
	s.id, s.origin = muxframe.ID{l.n}, l.Listener
	l.sessions[s.id] = s
	x, err := s.Open("x")
	if err == nil {
		err = x.TrySend(make([]byte, size))
	}
	if err != nil {
		l.Fatal(err)
	}
	s.locked(func() { l.brokenLocked(s) })
	return s
}

// wantEnded waits until one session has ended because there are too many, and looks that the others have not.
func (l *lounge) wantEnded(one *Session, others ...*Session) {
	l.Helper()
	one.until(l.T, "it is crowded out", func() bool { return one.end != nil && one.end.Err == ErrEvicted && one.end.By == SideLocal })
	l.wantWaiting(others...)
}

// wantWaiting wants these to wait, in this order, and no others.
func (l *lounge) wantWaiting(all ...*Session) {
	l.Helper()
	held := int64(0)
	for k, s := range all {
		s.mu.Lock()
		if s.end != nil || k >= len(l.waiting) || l.waiting[k] != s {
			l.Errorf("session %d does not wait there: %v", k, s.end)
		}
		held += int64(s.core.Kept())
		s.mu.Unlock()
	}
	if got := l.heldBytes.Load(); l.Stats().Waiting != int64(len(all)) || len(l.sessions) != len(all) || got != held {
		l.Errorf("%+v, want %d; %d bytes are held, counted as %d", l.Stats(), len(all), held, got)
	}
}

// The bytes of disconnected sessions are counted exactly, and the oldest session ends when there are too many.
func TestWaitingBytes(t *testing.T) {
	l := newLounge(t, Config{WaitingBytes: 2500})
	a, b := l.comes(1000), l.comes(1000)
	l.wantWaiting(a, b)
	c := l.comes(1000)
	l.wantEnded(a, b, c)
	b.locked(func() { l.brokenLocked(b) }) // it has been back, and its connection has broken again
	l.wantWaiting(c, b)
	if err := c.Channel("x").TrySend(make([]byte, 1000)); err != nil { // the oldest grows
		t.Fatal(err)
	}
	l.wantEnded(c, b)
	d := l.comes(1)
	if err := d.Channel("x").TrySend(make([]byte, 2000)); err != nil { // the youngest grows
		t.Fatal(err)
	}
	l.wantEnded(b, d)
	d.locked(func() {
		d.conn = &conn{s: d}
		d.origin.countHeldLocked(d)
	})
	l.attachedLocked(d)
	if l.Stats().Waiting != 0 || l.heldBytes.Load() != 0 {
		t.Errorf("it is back: got %+v, %d bytes", l.Stats(), l.heldBytes.Load())
	}
	l.attachedLocked(d) // nothing happens
	d.locked(func() {
		d.conn = nil
		l.brokenLocked(d)
	})
	l.wantWaiting(d)
	if _, err := d.OpenWith("y", Options{Metadata: make([]byte, 1000)}); err != nil { // opens count, too
		t.Fatal(err)
	}
	l.wantEnded(d)
}

// At most MaxWaiting sessions may be disconnected, and those that are connected again stay.
func TestMaxWaiting(t *testing.T) {
	l := newLounge(t, Config{MaxWaiting: 2})
	a, b := l.comes(0), l.comes(0)
	l.wantWaiting(a, b)
	c := l.comes(0)
	l.wantEnded(a, b, c)
	d := l.comes(0)
	l.wantEnded(b, c, d)
	c.locked(func() { c.conn = &conn{s: c} }) // about to be back
	e := l.comes(0)
	f := l.comes(0)
	d.until(t, "crowded out", func() bool { return d.end != nil })
	if c.Err() != nil || e.Err() != nil || f.Err() != nil {
		t.Errorf("got %v, %v, %v; want nil, nil, nil", c.Err(), e.Err(), f.Err())
	}
}

// Disconnected sessions exactly at both limits stay.
func TestWaitingToTheLimit(t *testing.T) {
	l := newLounge(t, Config{MaxWaiting: 3})
	a, b, c := l.comes(1000), l.comes(1000), l.comes(1000)
	l.cfg.WaitingBytes = l.heldBytes.Load()
	l.evict()
	l.wantWaiting(a, b, c)
	a.locked(func() { a.conn = &conn{s: a} }) // about to be back
	l.cfg.WaitingBytes, l.cfg.MaxWaiting = 0, 1
	l.evict()
	if a.Err() != nil || b.Err() == nil || c.Err() == nil {
		t.Errorf("ended: %v, %v, %v; want those that have no connection", a.Err(), b.Err(), c.Err())
	}
}
