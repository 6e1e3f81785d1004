package h2conn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// A deadline has passed at exactly its moment.
func TestDeadlineNow(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s, ended := r.open(1, false), make(chan error, 4)
		now := r.Link().Wall()
		_, _ = s.SetReadDeadline(now), s.SetWriteDeadline(now)
		go func() {
			_, err := s.Fill()
			ended <- err
			s.locked(func() { ended <- s.WaitLocked(nil) })
			ended <- s.send([]byte("x"), true)
			ended <- s.respond(true)
		}()
		for _, what := range []string{"Fill", "Wait", "Send", "a head"} {
			if err := wiretest.Within(t, what, ended); err != netconn.ErrSlow {
				t.Errorf("%s: got %v", what, err)
			}
		}
		s.leave()
	})
}

// A waiting goroutine is woken exactly at its deadline.
func TestDeadlineComes(t *testing.T) {
	onWays(t, settings{policy: h2conn.Policy{MinReadRate: 100, RateGrace: 5 * time.Second}}, func(t *testing.T, r *rig) {
		r.window(1)
		s, slow := r.open(1, false), r.open(3, false)
		_ = s.respond(false)
		r.Want("HEADERS 1 200")
		s.AllowPauses()
		now := r.Link().Wall()
		_, _ = s.SetReadDeadline(now.Add(2*time.Second)), s.SetWriteDeadline(now.Add(3*time.Second))
		reads, slowly := s.fills(), slow.fills()
		writes := s.sends([]byte("ab"), true)
		r.Want(`DATA 1 "a"`)
		r.clock.Advance(2 * time.Second)
		if got := until(r, "Fill", reads); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got.err)
		}
		if r.WantIdle(); len(writes)+len(slowly) > 0 {
			t.Error("the others' time has not come")
		}
		r.clock.Advance(time.Second)
		if err := until(r, "Send", writes); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		if r.WantIdle(); len(slowly) > 0 {
			t.Error("the grace is not over")
		}
		r.clock.Advance(2 * time.Second)
		if got := until(r, "the slow one", slowly); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got.err)
		}
		s.leave()
		slow.leave()
	})
}

// A deadline between two regular alarms is not delayed to the later one.
func TestDeadlineBetween(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		_ = s.SetReadDeadline(r.Link().Wall().Add(250 * time.Millisecond))
		waits := s.fills()
		r.passes(200 * time.Millisecond)
		if len(waits) > 0 {
			t.Error("the wake came too early")
		}
		r.clock.Advance(50 * time.Millisecond)
		if got := wiretest.Within(t, "Fill", waits); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got)
		}
		s.leave()
	})
}

// A body that is too slow fails exactly when RateGrace has passed.
func TestGraceIsOver(t *testing.T) {
	onWays(t, settings{policy: h2conn.Policy{MinReadRate: 100, RateGrace: 5 * time.Second}}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		waits := s.fills()
		r.passes(4900 * time.Millisecond)
		if len(waits) > 0 {
			t.Error("the wake came too early")
		}
		r.clock.Advance(100 * time.Millisecond)
		if got := wiretest.Within(t, "Fill", waits); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got)
		}
		s.leave()
	})
}

// SetReadTimeoutLocked(0) removes the deadline.
func TestNoBound(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		waits := s.gets(2)
		s.locked(func() { s.SetReadTimeoutLocked(time.Second) })
		r.WantIdle()
		s.locked(func() { s.SetReadTimeoutLocked(0) })
		r.passes(2 * time.Second)
		r.data(1, "ab", false)
		if got := wiretest.Within(t, "Fill", waits); got != (filled{"ab", nil}) {
			t.Errorf("got %v", got)
		}
		s.leave()
	})
}

// A peer that begins a frame without having streams, and does not finish it in time, is sent GOAWAY.
func TestSlowHead(t *testing.T) {
	for name, tc := range map[string]struct {
		begun []byte
		want  string
	}{
		"a frame":          {[]byte{0, 0, 8, byte(xhttp2.FramePing), 0}, "GOAWAY 0 NO_ERROR"},
		"a header section": {[]byte{0, 0, 1, byte(xhttp2.FrameHeaders), 0, 0, 0, 0, 1, 0x83}, "GOAWAY 1 ENHANCE_YOUR_CALM"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := settings{wire: http2.Config{HeadTimeout: int64(5 * time.Second)}, engine: netconn.Config{MessageTimeout: 5 * time.Second}}
			onWays(t, cfg, func(t *testing.T, r *rig) {
				_, _ = r.Talk.Conn.Write(tc.begun)
				wiretest.Eventually(t, "it to be given up", func() bool { r.clock.Advance(50 * time.Millisecond); return len(r.over) > 0 })
				r.Want(tc.want)
			})
		})
	}
}

// The rest of a body whose response is complete is discarded, and the stream is reset after a second.
func TestLeftOver(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.sized(1, 1000)
		_ = s.respond(true)
		r.Want("HEADERS 1 200 END")
		s.leave()
		r.data(1, "of no use", false)
		r.passes(900 * time.Millisecond)
		r.clock.Advance(100 * time.Millisecond)
		r.Want("RST_STREAM 1 NO_ERROR")
		r.WantIdle()
	})
}
