package tcpmux

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// The error with which a connection ended is translated into one of this package.
func TestPlain(t *testing.T) {
	other := errors.New("another")
	for _, tc := range []struct{ err, want error }{
		{nil, errGone}, {io.EOF, errGone}, {io.ErrUnexpectedEOF, errGone}, {netconn.ErrAbort, errCut},
		{netconn.ErrSlow, errStalled}, {fmt.Errorf("write: %w", netconn.ErrSlow), errStalled}, {other, other},
	} {
		if got := breakError(tc.err); got != tc.want {
			t.Errorf("%v is told as %v, want %v", tc.err, got, tc.want)
		}
	}
}

// overPipe returns a connection that has ended.
func overPipe(t *testing.T) *netconn.Conn {
	t.Helper()
	near, far := net.Pipe()
	defer far.Close()
	made := make(chan *netconn.Conn, 1)
	err := dialEngine().Run(near, nil, func(nc *netconn.Conn) (netconn.Protocol, error) {
		made <- nc
		return nil, netconn.ErrDone
	})
	if err != nil {
		t.Fatal(err)
	}
	return <-made
}

// A session that cannot be resumed ends with its connection, and not with another one.
func TestBroke(t *testing.T) {
	for name, tc := range map[string]struct {
		closing, stale bool
		want           *EndError
	}{
		"it ends":                        {false, false, &EndError{Err: ErrConnectionLost, By: SideLocal}},
		"it ends in order":               {true, false, &EndError{By: SidePeer}},
		"the connection is not its own":  {false, true, nil},
		"nor is it, and that is closing": {true, true, nil},
	} {
		s := lonely(Config{ResumeTimeout: -1})
		c := &conn{s: s, nc: overPipe(t)}
		s.resumable, s.closing, s.by, s.conn = false, tc.closing, SidePeer, c
		if tc.stale {
			c = &conn{s: s}
		}
		s.connEndedLocked(c, io.EOF)
		switch e := s.end; {
		case tc.want == nil:
			if e != nil || s.conn == nil || s.outage != nil {
				t.Errorf("%s: %v", name, e)
			}
		case e == nil || e.By != tc.want.By || !errors.Is(e.Err, tc.want.Err) || (e.Err == nil) != (tc.want.Err == nil):
			t.Errorf("%s: %v, want %+v", name, e, *tc.want)
		case e.Err != nil && !errors.Is(e.Err, errGone):
			t.Errorf("%s: %v does not say why", name, e.Err)
		}
	}
}

// A session ends when an outage has lasted for Config.ResumeTimeout, and not because of an earlier outage.
func TestPatience(t *testing.T) {
	for name, tc := range map[string]struct {
		closing bool
		want    EndError
	}{
		"waiting": {false, EndError{Err: ErrResumeTimeout}}, "closing": {true, EndError{By: SidePeer}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := lonely(Config{ResumeTimeout: time.Second})
			s.closing, s.by = tc.closing, SidePeer
			ended := func() bool {
				synctest.Wait()
				return s.Err() != nil
			}
			s.locked(func() { s.detachLocked(errCut) })
			time.Sleep(999 * time.Millisecond)
			if ended() {
				t.Fatalf("%s: it does not wait: %v", name, s.Err())
			}
			s.locked(func() {
				time.Sleep(time.Millisecond) // the time has come, and its timer waits for the lock
				s.outage = nil               // it was resumed, and breaks again
				s.detachLocked(errCut)
			})
			if ended() {
				t.Fatalf("%s: it ends for an outage that is over: %v", name, s.Err())
			}
			time.Sleep(time.Second)
			if !ended() {
				t.Fatalf("%s: it waits for ever", name)
			}
			if e := s.end; e.Err != tc.want.Err || e.By != tc.want.By {
				t.Errorf("%s: %+v, want %+v", name, e, tc.want)
			}
			if s.outage.expiry.Stop() {
				t.Errorf("%s: a timer is left", name)
			}
		})
	}
}

// The timer of an outage is stopped when the session ends, and not set if there is no limit.
func TestPatienceEnds(t *testing.T) {
	s := lonely(Config{ResumeTimeout: time.Hour})
	s.detachLocked(errCut)
	s.finishLocked(EndError{})
	if s.outage.expiry.Stop() {
		t.Error("the timer of the outage still runs after the end")
	}
	for name, prepare := range map[string]func(s *Session){
		"no time":     func(s *Session) { s.resumeTimeout = 0 },
		"not resumed": func(s *Session) { s.resumable, s.cfg = false, Config{ResumeTimeout: time.Hour}.settings() },
	} {
		s := lonely(Config{ResumeTimeout: -1})
		prepare(s)
		if s.detachLocked(errCut); s.outage.expiry != nil {
			t.Errorf("%s: there is a timer", name)
		}
	}
}

// OnBroken and OnResumed are called one at a time and in order, however slow they are.
func TestNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		within := false
		note := func(what string) {
			if within {
				t.Error("two notices run at the same time")
			}
			within = true
			time.Sleep(time.Second)
			within = false
			told = append(told, what)
		}
		s := lonely(Config{
			OnBroken:  func(_ *Session, err error) { note(err.Error()) },
			OnResumed: func(_ *Session, outage time.Duration) { note(outage.String()) },
		})
		for k := range 3 {
			s.locked(func() {
				s.notifyLocked(notice{err: fmt.Errorf("break %d", k)})
				s.notifyLocked(notice{outage: time.Duration(k) * time.Second})
			})
			if k == 0 {
				time.Sleep(time.Minute)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := "[break 0 0s break 1 1s break 2 2s]"; fmt.Sprint(told) != want {
			t.Errorf("told of %v, want %v", told, want)
		}
		if s.notices != nil {
			t.Error("notices are left")
		}
		told = nil
		for _, deaf := range []func(cfg *Config){func(cfg *Config) { cfg.OnBroken = nil }, func(cfg *Config) { cfg.OnResumed = nil }} {
			cfg := s.cfg.Config
			deaf(&cfg)
			s := lonely(cfg)
			s.locked(func() {
				s.notifyLocked(notice{err: errCut})
				s.notifyLocked(notice{outage: time.Hour})
			})
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		if want := fmt.Sprint([]string{"1h0m0s", errCut.Error()}); fmt.Sprint(told) != want {
			t.Errorf("who wants to hear one of both is told of %v, want %v", told, want)
		}
	})
}
