package h2conn_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// Received bytes can be read in order. Bytes that are not taken are returned again by the next Fill.
func TestFill(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		waits := s.gets(2)
		r.data(1, "ab", false)
		if got := wiretest.Within(t, "Fill", waits); got != (filled{"ab", nil}) {
			t.Errorf("got %v", got)
		}
		r.data(1, "cd", false)
		r.data(1, "ef", false)
		r.WantIdle()
		p := make([]byte, 1)
		if n, err := s.Read(p); n != 1 || err != nil || p[0] != 'c' {
			t.Errorf("got %d, %v, %q", n, err, p)
		}
		if n, err := s.Read(nil); n != 0 || err != nil || string(s.Unread()) != "def" {
			t.Errorf("got %d, %v, %q", n, err, s.Unread())
		}
		s.Take(1)
		r.data(1, "gh", true)
		r.WantIdle()
		if got, err := s.Fill(); string(got) != "efgh" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if got, err := s.Fill(); got != nil || err != io.EOF || string(s.Unread()) != "efgh" {
			t.Errorf("got %q, %v; unread is %q", got, err, s.Unread())
		}
		s.Take(4)
		if n, err := s.Read(nil); n != 0 || err != nil {
			t.Errorf("a Read of nothing returned %d, %v", n, err)
		}
		if n, err := s.Read(p); n != 0 || err != io.EOF {
			t.Errorf("got %d, %v", n, err)
		}
		s.leave()
		r.Want("RST_STREAM 1 CANCEL") // it was never answered
		r.WantIdle()
	})
}

// After End nothing can be read, and bytes taken before are not given back to the windows.
func TestFillAfterEnd(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		r.data(1, "ab", false)
		if got, err := s.Fill(); string(got) != "ab" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		s.Take(1)
		s.leave()
		r.Want("RST_STREAM 1 CANCEL")
		if got, err := s.Fill(); len(got) > 0 || err != h2conn.ErrClosed {
			t.Errorf("got %q, %v", got, err)
		}
		r.WantIdle()
	})
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// The peer gets a WINDOW_UPDATE when half of a window was taken, and not before. Bytes of an ended stream that were not
// taken are given back to the connection's window.
func TestReceiveWindows(t *testing.T) {
	const size = 20_000
	wire := http2.Config{InitialWindow: size, MaxWindow: size, ConnWindow: 65_535, MaxConnWindow: 65_535}
	onWays(t, settings{wire: wire}, func(t *testing.T, r *rig) {
		send := func(id uint32) {
			for range 2 {
				r.data(id, strings.Repeat("x", size/2), false)
			}
			r.WantIdle()
		}
		s := r.open(1, false)
		send(1)
		if p, err := s.Fill(); err != nil || len(p) != size {
			t.Fatal(len(p), err)
		}
		_ = s.SetReadDeadline(past)
		for _, step := range []struct {
			take int
			want []string
		}{{0, nil}, {size/2 - 1, nil}, {1, []string{"WINDOW_UPDATE 1 +10000"}}, {0, nil}} {
			s.Take(step.take)
			if _, err := s.Fill(); err != netconn.ErrSlow {
				t.Errorf("got %v", err)
			}
			r.Want(step.want...)
			r.WantIdle()
		}
		other := r.open(3, false)
		send(3)
		other.leave()
		r.Want("RST_STREAM 3 CANCEL")
		r.WantIdle()
		s.leave()
		r.Want("RST_STREAM 1 CANCEL", "WINDOW_UPDATE +40000")
		r.WantIdle()
	})
}

// A waiting Fill fails with the error of its stream or connection, and so do later ones. Bytes that arrived
// before can be read.
func TestFillEnds(t *testing.T) {
	mine := errors.New("mine")
	var cancelled *http2.Error
	for name, tc := range map[string]struct {
		end  func(r *rig, s *stream)
		is   error // the error of Fill; nil: a reset with CANCEL
		over bool  // the connection is over, too
		late bool  // a second later
	}{
		"end of the message": {end: func(r *rig, s *stream) { r.data(1, "", true) }, is: io.EOF},
		"trailers": {end: func(r *rig, s *stream) {
			_ = r.Framer.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x00\x01a\x01b"), EndStream: true, EndHeaders: true})
		}, is: io.EOF},
		"deadline": {end: func(r *rig, s *stream) { _ = s.SetReadDeadline(past) }, is: netconn.ErrSlow},
		"deadline to come": {end: func(r *rig, s *stream) {
			_ = s.SetReadDeadline(s.conn.Link().Wall().Add(time.Second))
		}, is: netconn.ErrSlow, late: true},
		"bounded":     {end: func(r *rig, s *stream) { s.locked(func() { s.SetReadTimeoutLocked(time.Second) }) }, is: netconn.ErrSlow, late: true},
		"interrupt":   {end: func(r *rig, s *stream) { s.locked(func() { s.InterruptLocked(mine) }) }, is: mine},
		"reset by us": {end: func(r *rig, s *stream) { s.locked(func() { s.ResetLocked(http2.ErrCodeCancel) }) }, is: h2conn.ErrClosed},
		"reset for":   {end: func(r *rig, s *stream) { s.locked(func() { s.ResetForLocked(http2.ErrCodeCancel, mine) }) }, is: mine},
		"reset":       {end: func(r *rig, s *stream) { _ = r.Framer.WriteRSTStream(1, xhttp2.ErrCodeCancel) }},
		"half closed": {end: func(r *rig, s *stream) { r.HalfClose() }, is: io.ErrUnexpectedEOF},
		"broken":      {end: func(r *rig, s *stream) { _ = r.Framer.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) }, is: errAny, over: true},
		"abort":       {end: func(r *rig, s *stream) { s.conn.Link().Abort() }, is: errAny, over: true},
		"closed":      {end: func(r *rig, s *stream) { _ = r.Talk.Conn.Close() }, is: errAny, over: true},
	} {
		t.Run(name, func(t *testing.T) {
			onWays(t, settings{}, func(t *testing.T, r *rig) {
				s := r.open(1, false)
				_ = s.SetReadDeadline(time.Time{})
				waits := s.fills()
				tc.end(r, s)
				if tc.late {
					ended := make(chan filled, 1)
					ended <- until(r, "Fill", waits)
					waits = ended
				}
				for range 2 {
					err := wiretest.Within(t, "Fill", waits).err
					switch {
					case tc.is == errAny:
						if err == nil || err == io.EOF {
							t.Errorf("got %v", err)
						}
					case tc.is != nil:
						if err != tc.is {
							t.Errorf("got %v, want %v", err, tc.is)
						}
					case !errors.As(err, &cancelled) || cancelled.Code != http2.ErrCodeCancel:
						t.Errorf("got %v", err)
					}
					again := make(chan filled, 1)
					again <- s.fill()
					waits = again
				}
				if tc.is == netconn.ErrSlow && !errors.Is(tc.is, os.ErrDeadlineExceeded) {
					t.Error("the error is not os.ErrDeadlineExceeded")
				}
				s.leave()
				if tc.over {
					wiretest.Within(t, "Over", r.over)
				}
			})
		})
	}
}

// errAny stands for any error except io.EOF.
var errAny = errors.New("any")

// A read deadline that is moved applies to a Fill that is waiting. A deadline that has passed can be
// removed.
func TestDeadlineMoves(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		_ = s.SetReadDeadline(s.conn.Link().Wall().Add(time.Second))
		waits := s.fills()
		_ = s.SetReadDeadline(s.conn.Link().Wall().Add(3 * time.Second))
		r.passes(2 * time.Second)
		if len(waits) > 0 {
			t.Fatal("the first deadline ended the wait")
		}
		if got := until(r, "Fill", waits); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got)
		}
		_ = s.SetReadDeadline(time.Time{})
		waits = s.gets(4)
		s.locked(func() { s.SetReadTimeoutLocked(time.Hour) })
		r.data(1, "late", false)
		if got := wiretest.Within(t, "Fill", waits); got != (filled{"late", nil}) {
			t.Errorf("got %v", got)
		}
	})
}

// Fill does not wait for a peer that sends more slowly than the policy demands. Time in which no Fill waits
// does not count, and nothing is demanded after AllowPauses.
func TestReadRate(t *testing.T) {
	onWays(t, settings{policy: h2conn.Policy{MinReadRate: 100, RateGrace: 5 * time.Second}}, func(t *testing.T, r *rig) {
		s, pauses := r.open(1, false), r.open(3, false)
		pauses.AllowPauses()
		free := pauses.gets(4)
		r.passes(time.Minute) // no goroutine waits for s
		waits := s.gets(800)
		r.passes(4 * time.Second)
		r.data(1, strings.Repeat("x", 800), false) // worth 8 seconds, of which 4 are over
		if got := wiretest.Within(t, "Fill", waits); got.err != nil {
			t.Fatal(got.err)
		}
		waits = s.fills()
		r.passes(3 * time.Second)
		if len(waits) > 0 {
			t.Fatal("what has come is worth 8 seconds")
		}
		if got := until(r, "Fill", waits); got.err != netconn.ErrSlow {
			t.Errorf("got %v", got)
		}
		r.data(3, "free", false)
		if got := wiretest.Within(t, "Fill", free); got != (filled{"free", nil}) {
			t.Errorf("got %v", got)
		}
	})
}

// A message can be taken whole once all of it has arrived.
func TestTakeWhole(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		r.data(1, "who", false)
		r.WantIdle()
		s.locked(func() {
			if p, ok := s.TakeWholeLocked(); ok {
				t.Errorf("half a message is whole: %q", p)
			}
		})
		r.data(1, "le", true)
		r.WantIdle()
		s.locked(func() {
			p, ok := s.TakeWholeLocked()
			if string(p) != "whole" || !ok || s.WireLocked().Unconsumed() != 0 {
				t.Errorf("got %q, %v; %d unconsumed", p, ok, s.WireLocked().Unconsumed())
			}
			bufpool.Put(p)
		})
		if _, err := s.Fill(); err != io.EOF {
			t.Errorf("got %v", err)
		}
		begun := r.open(3, false)
		r.data(3, "begun", true)
		r.WantIdle()
		if _, err := begun.Fill(); err != nil {
			t.Error(err)
		}
		begun.locked(func() {
			if p, ok := begun.TakeWholeLocked(); ok {
				t.Errorf("got %q of a message that is being read", p)
			}
		})
	})
}

// WakeLocked, the end of the input and a closed channel end WaitLocked. The read deadline bounds it.
func TestWait(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		done := make(chan struct{})
		wait := func() <-chan error {
			ended := make(chan error, 1)
			go s.locked(func() { ended <- s.WaitLocked(done) })
			return ended
		}
		waits := wait()
		wiretest.Eventually(t, "Wait to wait", s.Reads)
		s.locked(s.WakeLocked)
		if err := wiretest.Within(t, "Wait after Tell", waits); err != nil {
			t.Errorf("got %v", err)
		}
		waits = wait()
		wiretest.Eventually(t, "Wait to wait", s.Reads)
		close(done)
		if err := wiretest.Within(t, "Wait after its channel was closed", waits); err != nil {
			t.Errorf("got %v", err)
		}
		done = nil
		waits = wait()
		wiretest.Eventually(t, "Wait to wait", s.Reads)
		s.locked(func() { s.SetReadTimeoutLocked(time.Second) })
		if err := wiretest.Within(t, "Wait after a new bound", waits); err != nil {
			t.Errorf("got %v", err)
		}
		waits = wait()
		wiretest.Eventually(t, "Wait to wait", s.Reads)
		until(r, "Wait at its bound", waits)
		if err := wiretest.Within(t, "Wait after its bound", wait()); err != netconn.ErrSlow {
			t.Errorf("got %v", err)
		}
		r.data(1, "", true)
		r.WantIdle()
		if err := wiretest.Within(t, "Wait after the end", wait()); err != io.EOF {
			t.Errorf("got %v", err)
		}
	})
}

// The owner gets the trailers before the reader gets the end.
func TestTrailers(t *testing.T) {
	onWays(t, settings{}, func(t *testing.T, r *rig) {
		s := r.open(1, false)
		waits := s.fills()
		_ = r.Framer.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("\x00\x01a\x01b"), EndStream: true, EndHeaders: true})
		if got := wiretest.Within(t, "Fill", waits); got.err != io.EOF {
			t.Errorf("got %v", got)
		}
		if len(s.trailers) != 1 || s.trailers[0].Name != "a" || s.trailers[0].Value != "b" {
			t.Errorf("got %v", s.trailers)
		}
		// A stream that its owner has ended calls no function of OnGone.
		gone := r.open(3, false)
		gone.leave()
		r.Want("RST_STREAM 3 CANCEL")
		r.data(3, "late", false)
		_ = r.Framer.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte("\x00\x01a\x01b"), EndStream: true, EndHeaders: true})
		r.WantIdle()
		if len(gone.trailers) != 0 {
			t.Errorf("got %v", gone.trailers)
		}
	})
}
