package peerrate

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

const second = int64(time.Second)

// limit is a minimum of 100 bytes a second in each direction, judged behind 5 s.
var limit = Limits{MinRead: 100, MinWrite: 100, Grace: 5 * time.Second}

// TestReads: a peer is judged when its reader has waited for the grace, and by the bytes of that time; then a new span begins.
func TestReads(t *testing.T) {
	for name, c := range map[string]struct {
		waited int64
		bytes  int
		slow   bool
	}{
		"in time":       {5 * second, 500, false},
		"a byte less":   {5 * second, 499, true},
		"too early":     {5*second - 1, 0, false},
		"late, enough":  {10 * second, 1000, false},
		"late, too few": {10 * second, 999, true},
	} {
		var a Reads
		a.Add(c.waited/2, c.bytes/2)
		a.Add(c.waited-c.waited/2, c.bytes-c.bytes/2)
		if due := a.Due(&limit, 7*second); due != 12*second-c.waited {
			t.Errorf("%s: due at %d", name, due)
		}
		if slow := a.TooSlow(&limit); slow != c.slow {
			t.Errorf("%s: too slow: %t", name, slow)
		}
		if fresh := a == (Reads{}); fresh != (c.waited >= 5*second) {
			t.Errorf("%s: a new span has begun: %t", name, fresh)
		}
	}
	var a Reads
	a.Add(100*second, 0)
	if none := (Limits{Grace: time.Second}); a.Due(&none, second) != 0 || a.TooSlow(&none) {
		t.Error("judged without a minimum rate")
	}
}

// TestWrites: behind the grace a span begins, which is long enough that the peer must have acknowledged something; the peer is judged at its
// end, by what it has taken within it. Then all begins anew.
func TestWrites(t *testing.T) {
	tr := new(transport.Conn) // which takes what it is given
	var span int64
	for name, c := range map[string]struct {
		took float64 // of what the span asks for
		slow bool
	}{"enough": {1.001, false}, "too little": {0.999, true}} {
		var s Stall
		s.Accept(1 << 20) // before
		s.Add(0, 5*second-1, 0)
		if s.TooSlow(&limit, tr) || s.Due(&limit, tr, second) != second+1 {
			t.Errorf("%s: judged within the grace", name)
		}
		s.Leave(10 * second)
		s.Resume(12 * second) // late, which does not count
		if s.TooSlow(&limit, tr) {
			t.Errorf("%s: judged before the span", name)
		}
		if span = s.Due(&limit, tr, 0); span < 3*5*second || span > 180*5*second {
			t.Errorf("%s: a span of %v", name, time.Duration(span))
		}
		s.Accept(int(c.took * 100 * float64(span/second)))
		s.Add(0, span-1, 0)
		if s.TooSlow(&limit, tr) {
			t.Errorf("%s: judged within the span", name)
		}
		s.Add(0, 1, 0)
		if slow := s.TooSlow(&limit, tr); slow != c.slow {
			t.Errorf("%s: too slow: %t", name, slow)
		}
		if s.Due(&limit, tr, 0) != 5*second {
			t.Errorf("%s: no new span", name)
		}
	}
	var s Stall
	s.Add(0, 10000*second, 0)
	if none := (Limits{Grace: time.Second}); s.Due(&none, tr, second) != 0 || s.TooSlow(&none, tr) {
		t.Error("judged without a minimum rate")
	}
	fast := Limits{MinWrite: 1 << 30, Grace: time.Second}
	s.TooSlow(&fast, tr)
	if s.Due(&fast, tr, 0) != 3*second {
		t.Error("a fast peer's span is not three times the grace")
	}
}

// TestStallWaits: a wait lasts from its beginning, or since something was last sent, until it ends; that of the lot counts once.
func TestStallWaits(t *testing.T) {
	tr := new(transport.Conn)
	var s Stall
	by := func(want int64) {
		t.Helper()
		if got := s.TakesBy(tr, 0, second); got != want*second {
			t.Errorf("by %d s, want %d", got/second, want)
		}
	}
	s.Continue(1 * second)
	by(2)
	s.Continue(3 * second)
	by(2)
	s.Add(4*second, second, 0)
	by(2)
	s.Add(4*second, second, 1)
	by(5)
	s.End()
	s.Continue(6 * second)
	by(7)
	s.Accept(3)
	s.Continue(8 * second)
	by(9)
	s.Begin(9 * second)
	by(10)
	if s.Accepted() != 3 {
		t.Errorf("%d bytes were accepted", s.Accepted())
	}
	before := s.writes.waited
	s.Resume(20 * second)
	s.Leave(21 * second)
	s.Resume(20 * second) // a clock of another goroutine
	s.Leave(21 * second)
	s.Resume(24 * second)
	s.Resume(30 * second)
	if got := s.writes.waited - before; got != 3*second {
		t.Errorf("the lot has waited %v", time.Duration(got))
	}
}
