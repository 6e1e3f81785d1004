package tcpmux

import (
	"context"
	"testing"
)

// An idle session keeps no memory for channels that wait to be accepted, and one that is not idle keeps all of it.
func TestTrimArrivals(t *testing.T) {
	s := lonely(Config{})
	wantKept := func(what string, kept bool) {
		t.Helper()
		s.locked(s.accepting.trim)
		if (s.arrivals != nil) != kept {
			t.Errorf("%s: kept %v, want %v", what, !kept, kept)
		}
	}
	announced(t, s, 2, false)
	announced(t, s, 4, false)
	wantKept("two channels wait", true)
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "2" {
		t.Fatalf("accepted %v, %v", c, err)
	}
	wantKept("one waits", true)
	if _, err := s.Open("4"); err != nil {
		t.Fatal(err)
	}
	wantKept("Open took the other", false)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.Accept(ctx)
		done <- err
	}()
	s.until(t, "Accept waits", func() bool { return s.arrivals != nil && s.arrivals.accepters.first != nil })
	wantKept("Accept waits", true)
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("Accept: got %v, want %v", err, context.Canceled)
	}
	wantKept("it waits no more", false)

	called, release := make(chan bool), make(chan bool)
	s.cfg.OnChannel = func(c *Channel) { called <- true; <-release }
	announced(t, s, 6, false)
	s.locked(s.serveLocked)
	<-called
	wantKept("OnChannel runs", true)
	close(release)
	s.until(t, "OnChannel has returned", func() bool { return s.arrivals.serving == 0 })
	wantKept("OnChannel has returned", false)
}
