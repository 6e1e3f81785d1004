package streamsock

import "testing"

// Shutdown counts the queued messages of peers that are given up, unless they were lost before it.
func TestFinishCounts(t *testing.T) {
	for _, tc := range []struct {
		closing, lost bool
		want          int
	}{{true, false, 2}, {true, true, 0}, {false, false, 0}} {
		s := New(Config{})
		p, err := s.peers.enter(newPeer(&s.hub, nil), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			p.queue.add(&outMsg{b: []byte("x")})
		}
		s.closing, p.uncounted = tc.closing, tc.lost
		p.finish()
		p.finish() // once
		if s.undeliveredCount != tc.want || p.Stats().Queued != 0 || p.Stats().Dropped != 2 || len(s.Peers()) != 0 {
			t.Errorf("%+v: %d were left, %+v", tc, s.undeliveredCount, p.Stats())
		}
	}
}

// A peer that is given up while its connection ends stays gone.
func TestParting(t *testing.T) {
	s := New(Config{})
	p := newPeer(&s.hub, nil)
	if p.Transport() != "" || p.RemoteAddr() != nil || p.Stats().Connections != 0 {
		t.Errorf("before there is a connection: got %q, %v", p.Transport(), p.RemoteAddr())
	}
	if _, err := s.peers.enter(p, 0); err != nil {
		t.Fatal(err)
	}
	if err := p.Disconnect(1005, ""); err != errNoCode {
		t.Errorf("got %v, want %v", err, errNoCode)
	}
	if err := p.Disconnect(999, ""); err == nil {
		t.Error("Disconnect with a code that cannot be sent: got no error")
	}
	if err := p.Disconnect(0, ""); err != nil {
		t.Error(err)
	}
	if err := p.Disconnect(0, ""); err != ErrGone {
		t.Errorf("got %v, want %v", err, ErrGone)
	}
	if err := p.Send(nil); err != ErrGone {
		t.Errorf("got %v, want %v", err, ErrGone)
	}
}
