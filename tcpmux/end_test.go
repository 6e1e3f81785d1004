package tcpmux

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// After the end of a session, each Send that returned nil counts as undelivered, and each waiting one has failed.
func TestEndCountsWhatWasTaken(t *testing.T) {
	s := lonely(Config{Window: 1 << 20, SessionWindow: 64 << 20})
	s.core.Attach(0, 1) // a connection that takes nothing
	const all = 10
	said := make(chan error, all)
	var channels []*Channel
	for range all {
		x, err := s.Open("")
		if err != nil {
			t.Fatal(err)
		}
		channels = append(channels, x)
		go func() { said <- x.Send(t.Context(), make([]byte, 100_000)) }()
	}
	s.until(t, "all have begun", func() bool {
		n := len(said)
		for _, x := range channels {
			if x.core.Pending() {
				n++
			}
		}
		return n == all
	})
	s.Close()
	taken := int64(0)
	for range all {
		if err := <-said; err == nil {
			taken++
		} else if !errors.Is(err, ErrAborted) {
			t.Errorf("who waits is told %v", err)
		}
	}
	if taken == 0 || taken == all || s.end.Undelivered != taken || int64(len(s.end.Unacked)) != taken {
		t.Errorf("%d messages were taken, and %d are said to be undelivered, in %v", taken, s.end.Undelivered, s.end.Unacked)
	}
}

// Shutdown waits for at most Linger, or until its context ends.
func TestCloseWaits(t *testing.T) {
	for name, tc := range map[string]struct{ linger, given, want time.Duration }{
		"linger":     {time.Minute, time.Hour, time.Minute},
		"a context":  {time.Minute, time.Second, time.Second},
		"none":       {-1, time.Hour, time.Nanosecond},
		"again":      {time.Minute, time.Hour, 0},
		"also begun": {time.Minute, time.Hour, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := lonely(Config{Linger: tc.linger})
			if _, err := s.Open("x"); err != nil { // so that something is not acknowledged
				t.Fatal(err)
			}
			by := SideLocal
			switch name {
			case "again":
				s.finishLocked(EndError{By: SidePeer})
				by = SidePeer
			case "also begun":
				s.locked(func() { s.startCloseLocked(SidePeer) })
				time.Sleep(30 * time.Second)
				by = SidePeer
			}
			ctx, cancel := context.WithTimeout(t.Context(), tc.given)
			defer cancel()
			begun := time.Now()
			_ = s.Shutdown(ctx)
			if e := s.end; e.Err != nil || e.By != by {
				t.Errorf("%s: got %+v", name, e)
			}
			if d := time.Since(begun); d != tc.want {
				t.Errorf("%s: %v, want %v", name, d, tc.want)
			}
			time.Sleep(time.Hour) // nothing is left to happen
		})
	}
}

// A session that has ended or is closing opens nothing and sends nothing, and says why.
func TestNothingBehindTheEnd(t *testing.T) {
	for name, end := range map[string]func(s *Session){
		"closing":       func(s *Session) { s.startCloseLocked(SideLocal) },
		"peer's GOAWAY": func(s *Session) { _, _ = s.core.Receive(muxframe.AppendGoaway(nil, 0), 1) },
		"ended":         func(s *Session) { s.finishLocked(EndError{}) },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := lonely(Config{})
			x, err := s.Open("x")
			if err != nil {
				t.Fatal(err)
			}
			s.locked(func() { end(s) })
			var e *EndError
			if _, err := s.Open("y"); !errors.As(err, &e) {
				t.Errorf("%s: open: %v", name, err)
			}
			if err := x.Send(t.Context(), nil); !errors.As(err, &e) {
				t.Errorf("%s: send: %v", name, err)
			}
			if name == "ended" {
				if _, err := s.Accept(t.Context()); !errors.As(err, &e) {
					t.Errorf("%s: accept: %v", name, err)
				}
				if _, err := s.Ping(t.Context()); !errors.As(err, &e) {
					t.Errorf("%s: ping: %v", name, err)
				}
			}
			s.Close()
		})
	}
}

// The end of a session ends every wait for it.
func TestWhoWaitsIsTold(t *testing.T) {
	s := lonely(Config{ResumeBytes: 1000})
	x, err := s.Open("x")
	if err == nil {
		err = x.Send(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan bool, 20)
	waits := map[string]func() error{
		"Accept":      func() error { _, err := s.Accept(t.Context()); return err },
		"Ping":        func() error { _, err := s.Ping(t.Context()); return err },
		"Receive":     func() error { _, err := x.Receive(t.Context()); return err },
		"ReceiveInto": func() error { _, err := x.ReceiveInto(t.Context(), make([]byte, 5000)); return err },
		"Flush":       func() error { return x.Flush(t.Context()) },
		"WaitAcked":   func() error { _, err := x.WaitAcked(t.Context(), 0); return err },
		"Done":        func() error { <-x.Done(); return s.Err() },
	}
	for name, wait := range waits {
		for range 2 {
			go func() {
				if err := wait(); !errors.Is(err, ErrAborted) {
					t.Errorf("%s: %v", name, err)
				}
				said <- true
			}()
		}
	}
	s.until(t, "all wait", func() bool {
		return s.accepting.ensure().accepters.length() == 2 && s.pingers.length() == 2 && x.readers.length() == 4 && x.ackWaiters.length() == 4 && x.done != nil
	})
	s.Close()
	for range 2 * len(waits) {
		<-said
	}
}

// Each wait ends with the error of its context.
func TestWhoGivesUp(t *testing.T) {
	s := lonely(Config{ResumeBytes: 1000})
	x, err := s.Open("x")
	if err == nil {
		err = x.Send(t.Context(), make([]byte, 2000))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, wait := range map[string]func(ctx context.Context) error{
		"Accept":      func(ctx context.Context) error { _, err := s.Accept(ctx); return err },
		"Ping":        func(ctx context.Context) error { _, err := s.Ping(ctx); return err },
		"Receive":     func(ctx context.Context) error { _, err := x.Receive(ctx); return err },
		"ReceiveInto": func(ctx context.Context) error { _, err := x.ReceiveInto(ctx, make([]byte, 5000)); return err },
		"Flush":       x.Flush,
		"WaitAcked":   func(ctx context.Context) error { _, err := x.WaitAcked(ctx, 0); return err },
		"Send":        func(ctx context.Context) error { return x.Send(ctx, nil) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		said := make(chan error, 1)
		go func() { said <- wait(ctx) }()
		waiting := func() bool {
			return s.accepting.ensure().accepters.first != nil || s.pingers.first != nil || x.readers.first != nil || x.ackWaiters.first != nil || x.core.Pending()
		}
		s.until(t, name+" waits", waiting)
		cancel()
		if err := <-said; err != context.Canceled {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
		if s.locked(func() {
			if waiting() {
				t.Errorf("%s: it still waits", name)
			}
		}); x.Sent() != 1 {
			t.Errorf("%s: %d messages were sent", name, x.Sent())
		}
	}
}

func (l *waitList) length() (n int) {
	for w := l.first; w != nil; w = w.next {
		n++
	}
	return n
}

// until waits for a condition of the session, which is checked with its lock held.
func (s *Session) until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for by := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		is := happened()
		s.mu.Unlock()
		if is {
			return
		}
		if time.Now().After(by) {
			t.Fatalf("%s: it does not happen", what)
		}
	}
}
