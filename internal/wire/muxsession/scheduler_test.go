package muxsession

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// waiting returns a channel with a message that waits, of n bytes.
func waiting(name string, k Class, n int) *Channel {
	c := &Channel{name: name}
	c.out.class, c.out.first = k, &Send{P: make([]byte, n)}
	return c
}

// order returns whose turns come, n of them, when each goes back to its queue.
func order(t *scheduler, n int) string {
	var names []string
	for range n {
		c := t.next()
		if c == nil {
			break
		}
		if names = append(names, c.name); c.out.queued || c.next != nil {
			return c.name + " is still in its queue"
		}
		if n := len(c.out.first.P); n <= maxSmall {
			t.smallBytes += n
		}
		t.add(c)
	}
	return strings.Join(names, "")
}

// Channels take turns by class and by the size of their messages.
func TestTurns(t *testing.T) {
	many := strings.Repeat
	for name, tc := range map[string]struct {
		all  []*Channel
		n    int
		want string
	}{
		"nobody":               {nil, 1, ""},
		"one behind the other": {[]*Channel{waiting("a", Normal, 1), waiting("b", Normal, 1), waiting("c", Normal, 1)}, 7, "abcabca"},
		"a piece of a large one for each 64 KiB of small ones": {
			[]*Channel{waiting("S", Normal, maxSmall), waiting("L", Normal, maxSmall+1)}, 12, "SSSSLSSSSLSS"},
		"only large ones": {[]*Channel{waiting("a", Normal, 1<<20), waiting("b", Normal, 1<<20)}, 4, "abab"},
		"one in sixteen for a lower class": {
			[]*Channel{waiting("b", Background, 1), waiting("u", Urgent, 1)}, 33, many("u", 15) + "b" + many("u", 15) + "b" + "u"},
		"the lower class that waits": {
			[]*Channel{waiting("b", Background, 1), waiting("n", Normal, 1), waiting("u", Urgent, 1)}, 17, many("u", 15) + "n" + "u"},
	} {
		turns := new(scheduler)
		for _, c := range tc.all {
			turns.add(c)
			turns.add(c) // it is there once
		}
		if got := order(turns, tc.n); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if turns.empty() != (len(tc.all) == 0) {
			t.Errorf("%s: empty is wrong", name)
		}
	}
}

// One piece of a large message is sent for each 64 KiB of small ones.
func TestLargeOnesBesideSmall(t *testing.T) {
	p := newPair(t, func(c *Config) {
		for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
			l.Session, l.Window = 64<<20, 4<<20
		}
	})
	big, small := p.a.open("big"), p.a.open("small")
	p.a.send(big, text(0, 3<<20))
	for k := range 1000 {
		p.a.send(small, text(k, 1000))
	}
	for small.Sent() < 1000 {
		p.a.lend(64<<10, p.now)
	}
	var r muxframe.Reader
	var f muxframe.Frame
	passed, all, pieces, least := 0, 0, 0, 1<<30
	for b := p.a.wire; len(b) > 0; {
		n, err := r.Next(b, &f)
		if n == 0 || err != nil {
			break
		}
		switch b = b[n:]; {
		case f.Type != muxframe.Data:
		case f.Channel == small.number:
			passed, all = passed+len(f.Payload), all+1
		case passed > 0 && f.Begins && all < 1000:
			least = min(least, passed)
			passed, pieces = 0, pieces+1
		}
	}
	if least < smallBurst || pieces < 10 {
		t.Errorf("%d bytes of small messages between two pieces of large ones, of which there are %d", least, pieces)
	}
}

// A message that was cancelled before its turn does not hold up the others.
func TestTurnOfNobody(t *testing.T) {
	p := newPair(t, func(c *Config) { c.Kept = 10_000 })
	p.cut()
	c, d, e := p.a.open("full"), p.a.open("back"), p.a.open("behind")
	p.a.send(c, text(0, 20_000))
	back := p.a.send(d, text(1, 10))
	p.a.send(e, text(2, 10))
	if !d.Pending() || !e.Pending() || !p.a.s.Cancel(d, back) {
		t.Fatal("nothing waits")
	}
	p.connect()
	p.settle(0)
	for _, x := range p.b.announced {
		p.b.want(x, x.Name(), map[string][]string{"full": {text(0, 20_000)}, "behind": {text(2, 10)}}[x.Name()]...)
	}
	if e.Sent() != 1 || !p.a.s.sched.empty() || !p.a.s.Fits(e, 100) {
		t.Error("what is behind it has not left")
	}
}
