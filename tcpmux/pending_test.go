package tcpmux

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// announced has the peer open a channel in s, and reset it if over is so.
func announced(t *testing.T, s *Session, number uint32, over bool) {
	t.Helper()
	b := muxframe.AppendOpen(nil, number, fmt.Sprint(number), nil)
	if over {
		b = muxframe.AppendReset(b, number, 1)
	}
	if n, err := s.core.Receive(b, 1); n != len(b) || err != nil {
		t.Fatalf("%d bytes of %d, %v", n, len(b), err)
	}
}

// Channels that wait for Accept are counted exactly, and those that no longer wait are not kept.
func TestPending(t *testing.T) {
	s := lonely(Config{})
	s.accepting.ensure()
	waiting := map[string]bool{}
	names := []string{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for k := range uint32(5000) {
		number := 2*k + 2
		switch name := fmt.Sprint(number); rnd.IntN(8) {
		case 0:
			announced(t, s, number, false)
			waiting[name] = true
			names = append(names, name)
		case 1:
			if len(waiting) > 0 {
				before := s.arrivals.pending
				c, err := s.Accept(t.Context())
				if err != nil || !waiting[c.Name()] || before[0] != nil {
					t.Fatalf("%v, %v, and it is still held: %v", c, err, before[0])
				}
				delete(waiting, c.Name())
			}
			continue
		case 2: // Open takes one, if it waits
			if len(names) > 0 {
				name := names[rnd.IntN(len(names))]
				if c, err := s.Open(name); (err == nil) != waiting[name] || err == nil && c.Name() != name || err != nil && err != ErrChannelExists {
					t.Fatalf("open: %v, and %q waits: %v", err, name, waiting[name])
				}
				delete(waiting, name)
			}
		default:
			announced(t, s, number, true)
		}
		forgotten := 0
		for _, c := range s.arrivals.pending {
			if !c.unaccepted {
				forgotten++
			}
		}
		if forgotten != s.arrivals.stale || len(s.arrivals.pending)-forgotten != len(waiting) {
			t.Fatalf("%d channels, %d of them forgotten, counted as %d; %d wait", len(s.arrivals.pending), forgotten, s.arrivals.stale, len(waiting))
		}
		if forgotten >= max(32, len(s.arrivals.pending)/2) {
			t.Fatalf("%d of %d are kept that do no more", forgotten, len(s.arrivals.pending))
		}
		for _, c := range s.arrivals.pending[len(s.arrivals.pending):cap(s.arrivals.pending)] {
			if c != nil {
				t.Fatal("a channel that no longer waits is kept")
			}
		}
	}
	for len(waiting) > 0 {
		c, err := s.Accept(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		delete(waiting, c.Name())
	}
	announced(t, s, 100_002, false)
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "100002" || s.arrivals.pending != nil {
		t.Errorf("the last: %v, and memory for %d others is kept", err, cap(s.arrivals.pending))
	}
}

// The messages of a channel that was reset before it was accepted are dropped.
func TestResetBeforeAccept(t *testing.T) {
	s := lonely(Config{})
	for _, number := range []uint32{2, 4, 6} {
		announced(t, s, number, false)
		b := append(muxframe.AppendData(nil, number, muxframe.Fin, 5), "hello"...)
		if number == 6 {
			c, err := s.Accept(t.Context()) // the first
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if p, err := c.Receive(t.Context()); err != nil || string(p) != "hello" || s.Stats().Buffered != 0 {
					t.Errorf("what had come before the reset: got %q, %v", p, err)
				}
			}()
		}
		if _, err := s.core.Receive(b, 1); err != nil {
			t.Fatal(err)
		}
	}
	for k, number := range []uint32{4, 6, 2} {
		if _, err := s.core.Receive(muxframe.AppendReset(nil, number, 1), 1); err != nil {
			t.Fatal(err)
		}
		if n := s.Stats().Buffered; n != int64(max(2-k, 1)*(5+8)) {
			t.Errorf("%d bytes are held when %d channels were reset", n, k+1)
		}
	}
}

// Channels that Open takes over do not stay in the queue of Accept.
func TestTakenByOpen(t *testing.T) {
	s := lonely(Config{})
	for k := range uint32(1000) {
		announced(t, s, 2*k+2, false)
		if _, err := s.Open(fmt.Sprint(2*k + 2)); err != nil {
			t.Fatal(err)
		}
		if len(s.arrivals.pending) >= 32 {
			t.Fatalf("%d are kept", len(s.arrivals.pending))
		}
	}
}

// A generated name is used by neither side.
func TestNewNames(t *testing.T) {
	set := Config{}.settings()
	a, b := lonely(Config{}), newSession(set, muxframe.ID{}, secret.Secret{}, set.limits(), 0, false)
	seen := map[string]bool{}
	for _, s := range []*Session{a, b} {
		x, err := s.Open("")
		if err != nil {
			t.Fatal(err)
		}
		chosen := x.Name()[:2] + "2" // as the next one would be
		if _, err := s.Open(chosen); err != nil {
			t.Fatal(err)
		}
		y, err := s.Open("")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{x.Name(), chosen, y.Name()} {
			if seen[name] {
				t.Errorf("%q is used twice", name)
			}
			seen[name] = true
		}
	}
}

// Waiting messages leave in the order of their channels' priorities, however these were set.
func TestPriorityCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		urgent bool
		open   func(s *Session) (*Channel, error)
	}{
		"opened with it": {true, func(s *Session) (*Channel, error) { return s.OpenWith("2", Options{Priority: PriorityUrgent}) }},
		"taken with it": {true, func(s *Session) (*Channel, error) {
			announced(t, s, 2, false)
			return s.OpenWith("2", Options{Priority: PriorityUrgent})
		}},
		"given later": {true, func(s *Session) (*Channel, error) {
			c, err := s.Open("2")
			if err == nil {
				c.SetPriority(PriorityUrgent)
			}
			return c, err
		}},
		"accepted": {false, func(s *Session) (*Channel, error) {
			announced(t, s, 2, false)
			return s.Accept(t.Context())
		}},
		"opened": {false, func(s *Session) (*Channel, error) { return s.Open("2") }},
	} {
		s := lonely(Config{ResumeBytes: 1000})
		first, err := s.Open("first")
		if err != nil {
			t.Fatal(err)
		}
		x, err := tc.open(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Send(t.Context(), make([]byte, 1000)); err != nil { // there is no room for more
			t.Fatal(err)
		}
		said := make(chan error, 2)
		for _, m := range []struct {
			c *Channel
			p string
		}{{first, "slow"}, {x, "fast"}} {
			go func() { said <- m.c.Send(t.Context(), []byte(m.p)) }()
			s.until(t, "it waits", func() bool { return m.c.core.Pending() })
		}
		s.locked(func() {
			if !s.core.Attach(0, 1) {
				t.Fatal("the session has no connection")
			}
		})
		var sent []byte
		for range 3 { // the opens, the first message, and what has waited
			s.locked(func() {
				b, _, _ := s.core.Lend(nil, make([][]byte, 0, 1), 1<<20)
				sent = append(sent, b...)
				if _, err := s.core.Receive(muxframe.AppendAck(nil, uint64(len(sent))), 1); err != nil {
					t.Fatal(err)
				}
			})
		}
		for range 2 {
			if err := <-said; err != nil {
				t.Fatal(err)
			}
		}
		slow, fast := bytes.Index(sent, []byte("slow")), bytes.Index(sent, []byte("fast"))
		if slow < 0 || fast < 0 || (fast < slow) != tc.urgent {
			t.Errorf("%s: its message leaves at %d, and that which has waited longer at %d", name, fast, slow)
		}
	}
}

// Channels that were announced can still be accepted after the session has ended.
func TestPendingBehindTheEnd(t *testing.T) {
	s := lonely(Config{})
	announced(t, s, 2, false)
	s.finishLocked(EndError{})
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "2" || c.OpenedBy() != SidePeer || c.Session() != s {
		t.Errorf("accept: %v", err)
	}
	if _, err := s.Accept(t.Context()); err != error(s.end) {
		t.Errorf("accept: got %v, want %v", err, error(s.end))
	}
}

// A peer that opens channels and ends them cannot have more than MaxChannels waiting for Accept.
func TestPendingIsBounded(t *testing.T) {
	s := lonely(Config{MaxChannels: 100})
	end := func(number uint32) {
		t.Helper()
		b := muxframe.AppendEnd(muxframe.AppendOpen(nil, number, fmt.Sprint(number), nil), number, muxframe.Stop)
		if n, err := s.core.Receive(b, 1); n != len(b) || err != nil {
			t.Fatalf("%d bytes of %d, %v", n, len(b), err)
		}
	}
	for k := range uint32(1000) {
		end(2*k + 2)
	}
	if n := len(s.arrivals.pending); n != 100 {
		t.Errorf("%d channels wait for Accept", n)
	}
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "2" {
		t.Errorf("accepted %v, %v", c, err)
	}
	end(3000)
	if n := len(s.arrivals.pending); n != 100 || s.arrivals.pending[99].Name() != "3000" {
		t.Errorf("%d channels wait for Accept when there was room for one more", n)
	}
}

// Channels that wait when the net.Listener is closed are left for Session.Accept.
func TestClosedStreamListener(t *testing.T) {
	s := lonely(Config{})
	announced(t, s, 2, false)
	l := s.Listener()
	l.Close()
	if c, err := l.Accept(); err != ErrClosed {
		t.Fatalf("accepted %v, %v", c, err)
	}
	if c, err := s.Accept(t.Context()); err != nil || c.Name() != "2" {
		t.Errorf("accepted %v, %v", c, err)
	}
}
