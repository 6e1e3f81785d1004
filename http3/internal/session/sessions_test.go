package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// rig is the sessions of a connection, and the connection on both sides of them. What happens is noted.
type rig struct {
	*Sessions
	t       *testing.T
	mu      sync.Mutex
	notes   []string // guarded by mu
	past    uint64   // requests before it have ended
	queue   chan []byte
	ended   chan struct{}
	end     func()        // closes ended
	full    chan struct{} // nil: QUIC has room for datagrams
	refuses bool          // the client takes no datagrams
}

// with runs a test with a client that may open most sessions at once.
func with(t *testing.T, most int, f func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, queue: make(chan []byte, 10), ended: make(chan struct{})}
		r.end = sync.OnceFunc(func() { close(r.ended) })
		r.Sessions = New(r, r, most, time.Second)
		f(t, r)
		r.end()
		r.want()
	})
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// want checks what has happened since the last call.
func (r *rig) want(notes ...string) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.notes, notes) {
		r.t.Errorf("%q, want %q", r.notes, notes)
	}
	r.notes = nil
}

// It implements Owner.
func (r *rig) Fail(err error)        { r.note("connection: %v", err) }
func (r *rig) Charge(units int32)    { r.note("pays %d", units) }
func (r *rig) IsPast(id uint64) bool { return id < r.past }

// It implements QUIC.
func (r *rig) OpenSession(_ context.Context, header []byte) (Stream, error) {
	r.note("opens %x", header)
	return nil, nil
}

func (r *rig) OpenUniSession(_ context.Context, header []byte) (Send, error) {
	r.note("opens %x", header)
	return nil, nil
}

func (r *rig) TakesDatagrams() bool   { return !r.refuses }
func (r *rig) Ended() <-chan struct{} { return r.ended }

func (r *rig) SendDatagram(p []byte) error {
	if r.full != nil {
		select {
		case <-r.full:
		case <-r.ended:
			return context.Canceled
		}
	}
	if len(p) > 10 {
		return &TooLargeError{10}
	}
	r.note("sends %s", p)
	return nil
}

func (r *rig) ReceiveDatagram() ([]byte, error) {
	select {
	case p := <-r.queue:
		return p, nil
	case <-r.ended:
		return nil, context.Canceled
	}
}

// guest is a session. It implements Guest.
type guest struct {
	r    *rig
	name string
	c    Conn
}

func (g *guest) Begin(c Conn)         { g.c = c }
func (g *guest) AddStream(Stream)     { g.r.note("%s: stream", g.name) }
func (g *guest) AddUniStream(Receive) { g.r.note("%s: one-way stream", g.name) }
func (g *guest) AddDatagram(p []byte) { g.r.note("%s: %s", g.name, p) }
func (g *guest) GoingAway()           { g.r.note("%s: going away", g.name) }
func (g *guest) HandlerFailed()       { g.r.note("%s: failed", g.name) }

// connect is the stream of a CONNECT. It implements Request.
type connect struct{ r *rig }

func (c connect) Refuse(err error)        { c.r.note("refused: %v", err) }
func (c connect) Reset(code h3frame.Code) { c.r.note("reset: %v", code) }

// grant grants the request id a session, or says why not.
func (r *rig) grant(id uint64, protocol string) string {
	switch granted, err := r.Grant(id, protocol); {
	case err != nil && !granted:
		return err.Msg
	case err != nil:
		return "granted in spite of " + err.Msg
	case granted:
		return "granted"
	}
	return "no session"
}

// open opens the session id.
func (r *rig) open(id uint64) *guest {
	r.t.Helper()
	g := &guest{r: r, name: fmt.Sprint("session ", id)}
	if !r.Open(id, connect{r}, g) {
		r.t.Fatalf("session %d does not open", id)
	}
	return g
}

// arrive lets a stream of the session id arrive.
func (r *rig) arrive(id uint64) {
	r.Arrive(id, func(to Guest) { to.AddStream(nil) }, func(code h3frame.Code) { r.note("refused: %v", code) })
}

// able are the settings of a client that can open sessions.
var able = h3frame.PeerSettings{Datagrams: true}

// TestGrant: a request is granted a session if it asks for one, the client is able to, and there are not too many; one of draft 15 must be the
// only one.
func TestGrant(t *testing.T) {
	with(t, 2, func(t *testing.T, r *rig) {
		r.Settle(able)
		for _, c := range []struct {
			id             uint64
			protocol, want string
		}{
			{0, "websocket", "no session"}, {0, "webtransport", "granted"}, {4, "webtransport-h3", "too many sessions on the connection"},
			{8, "webtransport", "granted"}, {12, "webtransport", "too many sessions on the connection"},
		} {
			if got := r.grant(c.id, c.protocol); got != c.want {
				t.Errorf("%d, %s: %s, want %s", c.id, c.protocol, got, c.want)
			}
		}
		g := r.open(8)
		if r.Open(8, connect{r}, g) || r.Open(4, connect{r}, g) {
			t.Error("a session is opened twice, or without a grant")
		}
		g.c.Leave()
		g.c.Leave()
		if got := r.grant(16, "webtransport"); got != "granted" {
			t.Errorf("in the place of one that has ended: %s", got)
		}
		r.Forget(8) // it has left before
		if got := r.grant(20, "webtransport"); got != "too many sessions on the connection" {
			t.Errorf("one counts twice as ended: %s", got)
		}
		r.Forget(0)
		r.Forget(16)
		r.Forget(24)
		if r.Some() {
			t.Error("there are still sessions")
		}
		if got := r.grant(20, "webtransport-h3"); got != "granted" || !r.Some() {
			t.Errorf("the only one: %s", got)
		}
	})
	if (*Sessions)(nil).Some() {
		t.Error("there are sessions where none are offered")
	}
}

// TestGrantWaits: a request waits for the client's settings, and not for ever; a client without datagrams gets no session.
func TestGrantWaits(t *testing.T) {
	const needs = "client does not support datagrams"
	for name, c := range map[string]struct {
		do   func(r *rig)
		want string
		took time.Duration
	}{
		"settings":     {func(r *rig) { time.AfterFunc(time.Second/2, func() { r.Settle(able) }) }, "granted", time.Second / 2},
		"none":         {func(r *rig) {}, needs, time.Second},
		"no datagrams": {func(r *rig) { r.Settle(h3frame.PeerSettings{}) }, needs, 0},
		"none of QUIC": {func(r *rig) { r.refuses = true; r.Settle(able) }, needs, 0},
	} {
		with(t, 1, func(t *testing.T, r *rig) {
			c.do(r)
			begin := time.Now()
			if got := r.grant(0, "webtransport"); got != c.want || time.Since(begin) != c.took {
				t.Errorf("%s: %s after %v", name, got, time.Since(begin))
			}
		})
	}
	if p := New(nil, nil, 1, 0).Patience(); p != defaultPatience {
		t.Errorf("patience of %v where requests may take any time", p)
	}
}

// TestArrive: a stream is given to its session, or waits for it a while; one of a session that is no more, or of too many that wait, is
// refused, and paid for.
func TestArrive(t *testing.T) {
	with(t, 3, func(t *testing.T, r *rig) {
		pays := fmt.Sprint("pays ", cost.Refused)
		r.Settle(able)
		r.grant(8, "webtransport")
		r.arrive(8)
		r.arrive(8)
		r.arrive(12)
		r.want()
		r.open(8)
		r.want("session 8: stream", "session 8: stream")
		r.arrive(8)
		r.want("session 8: stream")
		time.Sleep(time.Second)
		r.want("refused: "+h3frame.BufferedStreamRejected.String(), pays) // that of 12
		r.past = 16
		r.arrive(12)
		r.want("refused: "+h3frame.SessionGone.String(), pays)
		r.grant(16, "webtransport")
		for range maxWaiting {
			r.arrive(16)
		}
		r.want()
		r.arrive(20)
		r.want("refused: "+h3frame.BufferedStreamRejected.String(), pays)
		r.Forget(16)
		r.want(slices.Repeat([]string{"refused: " + h3frame.BufferedStreamRejected.String()}, maxWaiting)...)
		time.Sleep(time.Minute)
		r.want() // their time is not waited for any more
		r.arrive(9)
		r.want("connection: " + errSessionID.Error())
	})
}

// TestEnds: sessions are told that the connection takes no more requests, those that open later, too; and when their handlers have failed.
func TestEnds(t *testing.T) {
	with(t, 3, func(t *testing.T, r *rig) {
		r.Settle(able)
		for _, id := range []uint64{0, 4, 8} {
			r.grant(id, "webtransport")
		}
		g := r.open(0)
		r.GoingAway()
		r.want("session 0: going away")
		r.open(4)
		r.want("session 4: going away")
		r.HandlerFailed(4)
		r.HandlerFailed(8)
		r.want("session 4: failed")
		g.c.Abort(errTooMany)
		r.want("refused: " + errTooMany.Error())
		own := *errTooMany
		own.Who = 1 - errTooMany.Who
		g.c.Abort(&own)
		r.want("reset: " + own.Code.String())
		g.c.ChargeCapsule()
		r.want(fmt.Sprint("pays ", cost.Capsule))
		g.c.OpenStream(t.Context())
		r.open(8).c.OpenUniStream(t.Context())
		r.want("opens 404100", "session 8: going away", "opens 405408")
	})
}

// TestDatagrams: datagrams find their sessions by a quarter of their identifiers (RFC 9297 §2.1); those of others are dropped, and what is none
// ends the connection. What is sent waits for room, as long as its sender wants.
func TestDatagrams(t *testing.T) {
	with(t, 2, func(t *testing.T, r *rig) {
		r.Settle(able)
		r.grant(8, "webtransport")
		r.queue <- []byte("\x02early")
		g := r.open(8)
		r.queue <- []byte("\x03other")
		r.queue <- []byte("\x02late")
		r.want("session 8: early", "session 8: late")
		if err := g.c.SendDatagram(t.Context(), []byte("hello")); err != nil {
			t.Error(err)
		}
		r.want("sends \x02hello")
		var e *TooLargeError
		if err := g.c.SendDatagram(t.Context(), []byte(strings.Repeat("x", 10))); err == nil {
			t.Error("it fits")
		} else if e, _ = err.(*TooLargeError); e == nil || e.Most != 9 {
			t.Errorf("%v", err)
		}
		r.full = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 { // one that QUIC has no room for, and one behind it
			if err := g.c.SendDatagram(ctx, []byte("x")); err != context.DeadlineExceeded {
				t.Errorf("%v", err)
			}
		}
		r.queue <- []byte("")
		r.want("connection: " + errDatagram.Error())
		failed := make(chan error, 1)
		go func() { failed <- g.c.SendDatagram(context.Background(), []byte("x")) }()
		synctest.Wait()
		r.end()
		if err := <-failed; err != errEnded {
			t.Errorf("%v", err)
		}
	})
}
