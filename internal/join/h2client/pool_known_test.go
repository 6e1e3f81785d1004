package h2client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// opened returns a connection that is not in the pool.
func (r *rig) opened() (*h2client.Conn, *peer) {
	r.t.Helper()
	c, err := r.dial(r.t.Context(), key)
	if err != nil {
		r.t.Fatal(err)
	}
	return c, <-r.dialed
}

// A connection that was opened elsewhere carries requests, and is removed when it takes no more of them.
func TestAdd(t *testing.T) {
	r := newRig(t, h2client.Config{})
	c, p := r.opened()
	if r.Has(key) {
		t.Error("there is a connection from the beginning")
	}
	r.Add(key, c)
	if !r.Has(key) || r.Has(h2client.Key{Host: "other"}) {
		t.Error("the pool does not know the connection, or knows it under another key")
	}
	k := r.begin()
	p.Want("HEADERS 1" + asked + " END")
	if k.Conn() != c || len(r.dialed) > 0 {
		t.Error("another one was opened")
	}
	p.goAway(1, xhttp2.ErrCodeNo)
	wiretest.Eventually(t, "the pool to forget it", func() bool { return !r.Has(key) && r.Hosts() == 0 })
	p.ok(1, true)
	if k.status() != 200 {
		t.Error("another status")
	}
	k.leave()
	second, q := r.opened()
	_ = q.Conn.Close()
	wiretest.Eventually(t, "its end to be known", func() bool { return !second.Usable() })
	if r.Add(key, second); r.Hosts() != 0 {
		t.Error("the pool keeps a connection that had ended before")
	}
	third, q := r.opened()
	fourth, _ := r.opened()
	r.Add(key, third)
	r.Add(key, fourth)
	third.Close()
	q.WantGone()
	wiretest.Eventually(t, "the pool to forget one", func() bool { return len(r.Conns()) == 1 })
	if !r.Has(key) {
		t.Error("the other one is forgotten, too")
	}
	fifth, q := r.opened()
	r.Close()
	r.Add(key, fifth)
	q.WantGone()
}

// A connection is opened if there is none.
func TestWarm(t *testing.T) {
	r := newRig(t, h2client.Config{})
	no := errors.New("no")
	gate := make(chan struct{})
	r.dialsWhen(gate, no)
	ctx, cancel := context.WithCancelCause(t.Context())
	warm := make(chan error, 1)
	go func() { warm <- r.Warm(ctx, key) }()
	wiretest.Within(t, "the attempt", r.calls)
	cancel(no)
	if err := wiretest.Within(t, "Warm", warm); err != no {
		t.Errorf("got %v", err)
	}
	close(gate)
	if err := r.Warm(t.Context(), key); err != no {
		t.Errorf("got %v", err)
	}
	dials, _ := r.dialsWhen(gate, nil)
	for range 2 {
		if err := r.Warm(t.Context(), key); err != nil || dials.Load() != 1 || len(r.Conns()) != 1 {
			t.Errorf("got %v, %d connections", err, dials.Load())
		}
	}
	r.Close()
	if err := r.Warm(t.Context(), key); err != h2client.ErrClosed {
		t.Errorf("got %v", err)
	}
}

// The connection that has been idle for the longest time is returned. A new one does not count as idle.
func TestOldest(t *testing.T) {
	r := newRig(t, h2client.Config{})
	is := func(want *h2client.Conn) {
		t.Helper()
		if c, _ := r.Oldest(); c != want {
			t.Errorf("got %p, want %p", c, want)
		}
	}
	is(nil)
	c, p := r.opened()
	r.Add(key, c)
	is(nil)
	r.passes(time.Second-1, p)
	is(nil)
	r.clock.Advance(1)
	is(c)
	k := r.begin()
	c.Reused() // a request that begins calls it
	is(nil)
	k.leave()
	is(c) // it is not new any more
	r.clock.Advance(time.Second)
	second, _ := r.opened()
	r.Add(h2client.Key{Host: "other"}, second)
	r.clock.Advance(2 * time.Second)
	is(c)
	_, before := r.Oldest()
	k = r.begin()
	is(second)
	k.leave()
	is(second)
	r.clock.Advance(time.Second)
	is(second)
	if _, since := r.Oldest(); since <= 0 || since >= before+int64(2*time.Second) {
		t.Errorf("since %d, the other one %d", since, before)
	}
	if !second.CloseIfIdle() || second.CloseIfIdle() {
		t.Error("the connection is closed once")
	}
	is(c)
}

// WaitTimeout bounds the wait for a connection and for room on one.
func TestWaitTimeout(t *testing.T) {
	r := newRig(t, h2client.Config{})
	r.WaitTimeout = 20 * time.Millisecond
	_, cancelled := r.dialsWhen(nil, nil)
	timedOut := func(err error) {
		t.Helper()
		e, ok := err.(interface{ Timeout() bool })
		tmp, is := err.(interface{ Temporary() bool })
		if err != h2client.ErrWaitTimeout || !ok || !is || !e.Timeout() || !tmp.Temporary() {
			t.Errorf("got %v", err)
		}
	}
	timedOut(r.start(t.Context(), false).failed())
	wiretest.Within(t, "the attempt to end", cancelled)

	r = newRig(t, h2client.Config{})
	r.WaitTimeout, r.MaxConns = 20*time.Millisecond, 1
	r.grants = []xhttp2.Setting{streams(1)}
	c, _ := r.opened()
	r.Add(key, c)
	k := r.begin()
	timedOut(r.start(t.Context(), false).failed())
	if c.Waiting() != 0 {
		t.Error("the request still waits")
	}
	k.leave()
	r.begin().leave()
}

// Most is known, and SettingsReceived called, when the server has sent SETTINGS. It is 0 at the end.
func TestMost(t *testing.T) {
	settled := make(chan struct{}, 10)
	r := newRig(t, h2client.Config{SettingsReceived: func() { settled <- struct{}{} }})
	r.grants = []xhttp2.Setting{streams(7)}
	c, p := r.opened()
	wiretest.Within(t, "the settings", settled)
	if n := c.Most(); n != 7 {
		t.Errorf("%d at once", n)
	}
	_ = p.Framer.WriteSettings(streams(2))
	p.Want("SETTINGS ack")
	wiretest.Within(t, "the settings", settled)
	if n := c.Most(); n != 2 {
		t.Errorf("%d at once", n)
	}
	p.WantIdle()
	if len(settled) > 0 {
		t.Error("the hook was called without SETTINGS")
	}
	c.Close()
	if n := c.Most(); n != 0 || c.Usable() {
		t.Errorf("%d at once, after the end", n)
	}
	p.WantGone()
}

// Config.Idle is called after the last request, unless others wait.
func TestBecomesIdle(t *testing.T) {
	idle := make(chan *h2client.Conn, 10)
	r := newRig(t, h2client.Config{Idle: func(c *h2client.Conn) { idle <- c }})
	r.grants, r.Strict = []xhttp2.Setting{streams(2)}, true
	a, _ := r.first()
	b := r.begin()
	c := r.start(t.Context(), false)
	wiretest.Eventually(t, "the third to wait", func() bool { return a.Conn().Waiting() == 1 })
	conn := a.Conn()
	a.leave()
	c.begun()
	b.leave()
	if len(idle) > 0 {
		t.Error("the hook was called while there are requests")
	}
	c.leave()
	if got := wiretest.Within(t, "that it is idle", idle); got != conn || len(idle) > 0 {
		t.Error("the hook got another connection, or was called twice")
	}
}

// Errors that servers report are counted by name.
func TestErrorsAreCounted(t *testing.T) {
	names := make(chan string, 10)
	r := newRig(t, h2client.Config{CountError: func(name string) { names <- name }})
	k, p := r.first()
	other := r.begin()
	_ = p.Framer.WriteRSTStream(1, xhttp2.ErrCodeRefusedStream)
	p.goAway(3, xhttp2.ErrCodeEnhanceYourCalm)
	for _, want := range []string{"recv_rststream_refused_stream", "recv_goaway_enhance_your_calm"} {
		if got := wiretest.Within(t, "an error", names); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	k.leave()
	other.leave()
	r = newRig(t, h2client.Config{CountError: func(name string) { names <- name }})
	k, p = r.first()
	p.goAway(1, xhttp2.ErrCodeNo)
	p.ok(1, true)
	_ = k.status()
	k.leave()
	p.WantGone()
	if len(names) > 0 {
		t.Errorf("%s is no error", <-names)
	}
}
