package tcpmux

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// lonely returns a session that has been dialled, and has no connection.
func lonely(cfg Config) *Session {
	c := cfg.settings()
	s := newSession(c, muxframe.ID{1}, secret.Secret{}, c.limits(), muxframe.CanResume, true)
	s.origin = &dialler{cfg: c, to: address{host: "peer", port: "1"}}
	return s
}

// locked runs f with the session's lock held.
func (s *Session) locked(f func()) {
	s.mu.Lock()
	f()
	s.unlock()
}

var errNobody = errors.New("nobody is there")

// The first attempt is made at once, and the waits before the next ones grow, less a random part.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Time
		s := lonely(Config{
			RedialFirst: 100 * time.Millisecond, RedialLongest: time.Second,
			NetDial: func(context.Context, string, string) (net.Conn, error) {
				tries = append(tries, time.Now())
				return nil, errNobody
			},
		})
		begun := time.Now()
		s.locked(func() { s.origin.brokenLocked(s) })
		time.Sleep(time.Minute)
		synctest.Wait()
		s.locked(func() { s.finishLocked(EndError{}) })
		synctest.Wait()
		if len(tries) < 60 || !tries[0].Equal(begun) {
			t.Fatalf("%d tries, the first after %v", len(tries), tries[0].Sub(begun))
		}
		wait, less := 100*time.Millisecond, 0
		for k := range len(tries) - 1 {
			d := tries[k+1].Sub(tries[k])
			if d > wait || d <= wait/2 {
				t.Fatalf("try %d comes %v after the one before, want up to %v", k+1, d, wait)
			}
			if d < wait*3/4 {
				less++
			}
			wait = min(2*wait, time.Second)
		}
		if less < len(tries)/8 || less > len(tries)*7/8 {
			t.Errorf("%d of %d waits are shorter than three quarters: that is no chance", less, len(tries))
		}
		time.Sleep(time.Minute)
		if n := len(tries); n > 125 {
			t.Errorf("%d tries: it goes on after the end", n)
		}
	})
}

// After a connection that has not lasted, the waits continue where they were.
func TestPausesAfterShortConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, longest = 100 * time.Millisecond, time.Second
		s := lonely(Config{RedialFirst: first, RedialLongest: longest})
		d := s.origin.(*dialler)
		after := func(lasts, top time.Duration) {
			t.Helper()
			d.attachedLocked(s)
			time.Sleep(lasts)
			if wait := d.firstWait(); wait > top || wait <= top/2 && top > 0 {
				t.Errorf("after a connection of %v: %v, want up to %v", lasts, wait, top)
			}
		}
		after(0, 0) // the first connection
		for _, top := range []time.Duration{first, 2 * first, 4 * first, 8 * first, longest, longest} {
			after(longest-1, top)
		}
		after(longest, 0)
		after(0, first)
	})
}

// Another attempt may start within the limits, and the oldest one without a connection is cancelled for it.
func TestRoomForTry(t *testing.T) {
	for _, tc := range []struct {
		running string // the oldest first; r: it has reached somebody
		room    bool
		stopped int // -1: none
	}{
		{"", true, -1}, {".", true, -1}, {"...", true, -1}, {"....", false, 0},
		{"r", true, -1}, {"r..", true, -1}, {"r...", false, 1}, {"..r.", false, 0},
		{"rr", false, -1}, {".r.r", false, -1}, {"rrrr", false, -1},
	} {
		stopped := -1
		var running []*attempt
		for k, c := range tc.running {
			x := &attempt{attemptSlots: newAttemptSlots(), stop: func() { stopped = k }}
			if c == 'r' {
				x.setConnected()
			}
			running = append(running, x)
		}
		if room := mayStartAttempt(running); room != tc.room || stopped != tc.stopped {
			t.Errorf("%q: room %v, stopped %d; want %v, %d", tc.running, room, stopped, tc.room, tc.stopped)
		}
	}
}

// At most maxAttempts attempts run at once, and the oldest one is cancelled for another.
func TestTriesThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		begun, running := 0, 0
		var given []int
		s := lonely(Config{HandshakeTimeout: -1, NetDial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			mu.Lock()
			n := begun
			begun++
			if running++; running > maxAttempts {
				t.Errorf("%d tries at a time", running)
			}
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			running--
			given = append(given, n)
			return nil, ctx.Err()
		}})
		s.locked(func() { s.origin.brokenLocked(s) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if begun < 60 || running != maxAttempts || len(given) != begun-maxAttempts {
			t.Fatalf("%d tries have begun, %d are running, %d were given up", begun, running, len(given))
		}
		for k, n := range given {
			if n != k {
				t.Fatalf("try %d was given up before try %d", n, k)
			}
		}
		s.locked(func() { s.finishLocked(EndError{}) })
		synctest.Wait()
		if running != 0 {
			t.Errorf("%d tries are left after the end", running)
		}
	})
}

// Attempts stop when the session has ended, is connected or has had another outage.
func TestTriesOfAnotherOutage(t *testing.T) {
	for name, change := range map[string]func(s *Session){
		"there is a connection":            func(s *Session) { s.conn = &conn{s: s} },
		"there was one, and it has broken": func(s *Session) { s.fence++ },
		"it has ended":                     func(s *Session) { s.end = &EndError{} }, // and done is not looked at
	} {
		synctest.Test(t, func(t *testing.T) {
			n, over := 0, false
			var s *Session
			s = lonely(Config{NetDial: func(context.Context, string, string) (net.Conn, error) {
				if n++; n == 3 {
					s.locked(func() { change(s) })
				}
				return nil, errNobody
			}})
			go func() {
				s.origin.(*dialler).reconnect(s, s.fence)
				over = true
			}()
			time.Sleep(time.Minute)
			synctest.Wait()
			if n != 3 || !over {
				t.Errorf("%s: %d tries, over: %v", name, n, over)
			}
			close(s.done)
			synctest.Wait()
		})
	}
}

// Errors that no further attempt can overcome end the session.
func TestWhatATrySays(t *testing.T) {
	refused := func(code muxframe.Refusal) error { return &RefusedError{Code: RefusalCode(code)} }
	for name, tc := range map[string]struct {
		closing bool
		err     error
		want    *EndError // nil: another try is made
	}{
		"nobody":                        {false, errNobody, nil},
		"somebody is between us":        {false, refused(muxframe.RefusedProof), nil},
		"not known":                     {false, refused(muxframe.RefusedUnknown), &EndError{Err: ErrUnknownSession, By: SidePeer, Undelivered: 1}},
		"not known, we are closing":     {true, refused(muxframe.RefusedUnknown), &EndError{By: SideLocal, Undelivered: 1}},
		"refused":                       {false, refused(muxframe.RefusedClosing), &EndError{Err: refused(muxframe.RefusedClosing), By: SidePeer, Undelivered: 1}},
		"closed":                        {false, &overError{0}, &EndError{By: SidePeer, Undelivered: 1}},
		"closed, and all had come":      {false, &overError{12}, &EndError{By: SidePeer}},
		"closed by both":                {true, &overError{0}, &EndError{By: SideLocal, Undelivered: 1}},
		"closed, with more than we had": {false, &overError{1000}, &EndError{By: SidePeer, Undelivered: 1}},
	} {
		s := lonely(Config{})
		x, err := s.Open("x")
		if err == nil {
			err = x.TrySend([]byte("hello"))
		}
		if err != nil {
			t.Fatal(err)
		}
		s.core.Attach(0, 1)
		if b, _, _ := s.core.Lend(nil, make([][]byte, 0, 1), 1000); len(b) != 12 {
			t.Fatalf("% x has been sent", b)
		}
		s.core.Detach()
		s.closing = tc.closing
		if ends := s.endsRedial(s.fence, tc.err); ends != (tc.want != nil) {
			t.Errorf("%s: that is the last try: %v", name, ends)
		}
		switch e := s.end; {
		case (e == nil) != (tc.want == nil):
			t.Errorf("%s: the session has ended: %v", name, e)
		case e == nil:
		case e.By != tc.want.By || e.Undelivered != tc.want.Undelivered || (e.Err == nil) != (tc.want.Err == nil):
			t.Errorf("%s: %+v, want %+v", name, e, *tc.want)
		case e.Err != nil && e.Err.Error() != tc.want.Err.Error():
			t.Errorf("%s: %v, want %v", name, e.Err, tc.want.Err)
		}
	}
}
