package muxsession

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"pgregory.net/rapid"
)

// model is what a session must do: for each channel and direction, the messages that were sent and not cancelled, in
// order.
type model struct {
	*pair
	rt       *rapid.T
	channels map[string]*modelled
	live     []*modelled
	serial   int
	up       bool
}

// modelled is a channel: [0] is the dialler's side.
type modelled struct {
	name    string
	side    [2]*Channel
	sent    [2][]string // by that side, and not taken back or failed
	pending [2][]*Send
	taken   [2]int // by that side
	wanted  [2][]byte
	ended   [2]bool
	reset   bool
}

func (m *model) end(i int) *end { return [...]*end{m.a, m.b}[i] }

func index(m *model, e *end) int {
	if e == m.a {
		return 0
	}
	return 1
}

// adopt gives the announced channels their places.
func (m *model) adopt() {
	for i := range 2 {
		e := m.end(i)
		for _, c := range e.announced {
			x := m.channels[c.Name()]
			if x == nil {
				m.rt.Fatalf("a channel %q that was not opened", c.Name())
			}
			if x.side[i] != nil {
				m.rt.Fatalf("%q was announced to a side that has it", c.Name())
			}
			x.side[i] = c
		}
		e.announced = nil
	}
}

// pick draws a channel and a side that has it.
func (m *model) pick(t *rapid.T) (x *modelled, i int) {
	if len(m.live) == 0 {
		t.Skip("no channels")
	}
	x = rapid.SampledFrom(m.live).Draw(t, "channel")
	i = rapid.IntRange(0, 1).Draw(t, "side")
	if x.side[i] == nil {
		i = 1 - i
	}
	return x, i
}

func (m *model) open(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "side")
	both := rapid.IntRange(0, 3).Draw(t, "both") == 0
	m.serial++
	x := &modelled{name: fmt.Sprintf("c%d", m.serial)}
	m.channels[x.name] = x
	m.live = append(m.live, x)
	for k := range 2 {
		if k == i || both {
			x.side[k] = &Channel{}
			if !m.end(k).s.Open(x.side[k], x.name, nil, false) {
				t.Fatal("no number")
			}
		}
	}
}

func (m *model) send(t *rapid.T) {
	x, i := m.pick(t)
	c := x.side[i]
	if c.Over() || c.Ending() != Open || m.end(i).s.GoingAway() {
		t.Skip("cannot send")
	}
	m.serial++
	n := rapid.SampledFrom([]int{0, 1, 10, 100, 2000, 2100, 5000, 70_000, 300_000}).Draw(t, "size")
	e := m.end(i)
	p := &Send{P: []byte(text(m.serial, n))}
	x.sent[i] = append(x.sent[i], string(p.P))
	if e.s.Send(c, p) {
		return
	}
	p.Owner = len(x.sent[i]) - 1
	x.pending[i] = append(x.pending[i], p)
}

// cancel takes the last message back that waits.
func (m *model) cancel(t *rapid.T) {
	x, i := m.pick(t)
	n := len(x.pending[i])
	if n == 0 {
		t.Skip("nothing waits")
	}
	p := x.pending[i][n-1]
	if m.end(i).s.Cancel(x.side[i], p) {
		x.pending[i] = x.pending[i][:n-1]
		x.sent[i] = x.sent[i][:p.Owner.(int)]
	}
}

// settleSends forgets the Sends that are done.
func (m *model) settleSends() {
	for i := range 2 {
		e := m.end(i)
		for _, p := range e.done {
			for _, x := range m.channels {
				for k, q := range x.pending[i] {
					if q == p {
						x.pending[i] = append(x.pending[i][:k:k], x.pending[i][k+1:]...)
						if p.Err != nil && !x.reset {
							m.rt.Fatalf("a Send in %q failed: %v", x.name, p.Err)
						}
						break
					}
				}
			}
		}
		e.done = nil
	}
}

// take takes the next message of a channel and compares it with the model.
func (m *model) take(t *rapid.T) {
	x, i := m.pick(t)
	m.takeOne(x, i)
}

func (m *model) takeOne(x *modelled, i int) bool {
	c, e := x.side[i], m.end(i)
	if c == nil || !c.Ready() {
		return false
	}
	buf := x.wanted[i]
	if buf != nil {
		e.s.WithdrawBuffer(c, buf, c.Next() <= len(buf))
		x.wanted[i] = nil
	}
	var b []byte
	if buf != nil && c.Next() <= len(buf) {
		b = buf[:e.s.TakeInto(c, buf)]
	} else {
		b, buf = e.s.Take(c), nil
	}
	if n := x.taken[i]; n >= len(x.sent[1-i]) || x.sent[1-i][n] != string(b) {
		m.rt.Fatalf("message %d of %q on side %d is %.20q", n, x.name, i, b)
	}
	x.taken[i]++
	if buf == nil {
		e.mem.Put(b)
	} else {
		clear(buf)
	}
	return true
}

// want has a reader wait with a buffer, or end its wait.
func (m *model) want(t *rapid.T) {
	x, i := m.pick(t)
	if buf := x.wanted[i]; buf != nil {
		m.end(i).s.WithdrawBuffer(x.side[i], buf, false)
		clear(buf)
		x.wanted[i] = nil
		return
	}
	x.wanted[i] = make([]byte, rapid.SampledFrom([]int{100, 5000, 100_000}).Draw(t, "buffer"))
	m.end(i).s.OfferBuffer(x.side[i], x.wanted[i])
}

func (m *model) endHalf(t *rapid.T) {
	x, i := m.pick(t)
	x.ended[i] = true
	m.end(i).s.End(x.side[i], SendClosed)
}

func (m *model) resetChannel(t *rapid.T) {
	x, i := m.pick(t)
	if x.side[0] == nil || x.side[1] == nil || x.side[i].Over() || x.side[i].opened && x.side[1-i].opened && x.side[i].theirs == 0 {
		t.Skip("not yet open; or the peer's OPEN is on its way, and begins the channel anew")
	}
	x.reset = true
	m.end(i).s.Reset(x.side[i], 5)
}

// move brings some bytes over.
func (m *model) move(t *rapid.T) {
	if !m.up {
		t.Skip("no connection")
	}
	e := m.end(rapid.IntRange(0, 1).Draw(t, "from"))
	e.lend(rapid.SampledFrom([]int{1, 1000, 100_000}).Draw(t, "lent"), m.now)
	if len(e.wire) == 0 {
		return
	}
	n := rapid.SampledFrom([]int{1, 2, 5, 100, 10_000, 1 << 20}).Draw(t, "bytes")
	if err := m.deliver(e, min(n, len(e.wire))); err != nil {
		t.Fatalf("what side %d has sent: %v", index(m, e), err)
	}
}

func (m *model) break_(t *rapid.T) {
	if !m.up {
		t.Skip("no connection")
	}
	m.up = false
	m.cut()
}

// ghost makes one side send on a connection of which the other side no longer knows, and which begins where an earlier
// one would have begun.
func (m *model) ghost(t *rapid.T) {
	if m.up {
		t.Skip("connected")
	}
	i := rapid.IntRange(0, 1).Draw(t, "side")
	e, peer := m.end(i), m.end(1-i)
	at := rapid.Uint64Range(e.s.out.base, peer.s.Received()).Draw(t, "from")
	if !e.s.Attach(at, m.now) {
		t.Fatalf("side %d cannot go on at %d", i, at)
	}
	e.lend(rapid.SampledFrom([]int{1, 1000, 100_000}).Draw(t, "lent"), m.now)
	e.s.Detach()
	e.wire = nil
}

func (m *model) resume(t *rapid.T) {
	if m.up {
		t.Skip("connected")
	}
	m.up = true
	m.connect()
}

func (m *model) pass(t *rapid.T) {
	m.now += ackDelay
	m.a.s.Tick(m.now)
	m.b.s.Tick(m.now)
}

// check holds the bounds.
func (m *model) check(t *rapid.T) {
	m.adopt()
	m.settleSends()
	for i := range 2 {
		s := m.end(i).s
		w := &s.window
		if w.used < 0 || w.exempt < 0 || w.credit < 0 || w.reserved < 0 || s.granted < 0 || w.used+w.credit > s.windowSize() {
			t.Fatalf("the window of side %d: %+v", i, *w)
		}
		if s.Buffered() > 2*s.windowSize()+int(usual.MaxMessage)*2+len(m.channels)*int(usual.Reserve) {
			t.Fatalf("side %d holds %d bytes", i, s.Buffered())
		}
		if n := s.out.kept(); n > s.cfg.Kept+maxChunk+100_000 {
			t.Fatalf("side %d keeps %d bytes", i, n)
		}
	}
	for _, x := range m.live {
		for i, c := range x.side {
			if c == nil {
				continue
			}
			if c.Acked() > c.Sent() {
				t.Fatalf("%q: %d of %d acknowledged", x.name, c.Acked(), c.Sent())
			}
			if o := x.side[1-i]; !x.reset && (o == nil && c.Acked() > 0 || o != nil && c.Acked() > o.Received()) {
				t.Fatalf("%q: more is acknowledged than has come", x.name)
			}
		}
	}
}

// takeAll brings everything over that does not wait for readers of other channels than those.
func (m *model) takeAll(those func(x *modelled, i int) bool) {
	for again := true; again; {
		m.settle(0)
		m.adopt()
		m.settleSends()
		again = false
		for _, x := range m.channels {
			for i := range 2 {
				if !those(x, i) {
					continue
				}
				for m.takeOne(x, i) {
					again = true
				}
				if c := x.side[i]; c != nil && !c.Over() && !c.in.awaited {
					m.end(i).s.Await(c, true)
					again = true
				}
			}
		}
	}
}

// finish takes from some of the channels, and checks that all of their messages come although the other channels are not
// read. Then it takes from those, too, and checks that everything has come.
func (m *model) finish() {
	t := m.rt
	if !m.up {
		m.connect()
		m.up = true
	}
	read := map[*modelled]int{}
	for _, x := range m.live {
		read[x] = rapid.IntRange(-1, 1).Draw(t, "the side that takes")
	}
	those := func(x *modelled, i int) bool { return read[x] == i }
	m.takeAll(those)
	for _, x := range m.live {
		if i := read[x]; i >= 0 && !x.reset && x.taken[i] != len(x.sent[1-i]) {
			t.Fatalf("%q: side %d has %d of %d messages, as others are not taken", x.name, i, x.taken[i], len(x.sent[1-i]))
		}
	}
	m.takeAll(func(*modelled, int) bool { return true })
	for _, x := range m.channels {
		if x.reset {
			continue
		}
		for i := range 2 {
			if x.taken[i] != len(x.sent[1-i]) || len(x.pending[i]) > 0 {
				t.Fatalf("%q: side %d has %d of %d messages, %d wait there", x.name, i, x.taken[i], len(x.sent[1-i]), len(x.pending[i]))
			}
			if x.side[i] != nil && x.side[i].Acked() != uint64(len(x.sent[i])) {
				t.Fatalf("%q: %d of %d acknowledged", x.name, x.side[i].Acked(), len(x.sent[i]))
			}
		}
		if x.ended[0] && x.ended[1] && !(x.side[0].Over() && x.side[1].Over()) {
			t.Fatalf("%q is not over", x.name)
		}
	}
	for i := range 2 {
		s := m.end(i).s
		if s.Kept() != 0 || s.Buffered() != 0 || s.partials != 0 || s.waitingSends != 0 {
			t.Fatalf("side %d: %d kept, %d held, %d begun, %d wait", i, s.Kept(), s.Buffered(), s.partials, s.waitingSends)
		}
	}
}

// Random operations on two sessions have the results that the model predicts.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tight := rapid.Bool().Draw(rt, "tight")
		m := &model{rt: rt, channels: map[string]*modelled{}, up: true}
		m.pair = newPair(rt, func(c *Config) {
			if tight {
				for _, l := range []*muxframe.Limits{&c.Ours, &c.Theirs} {
					l.Window, l.Session = 2048, 8192
				}
				c.Kept = 100_000
			}
		})
		rt.Repeat(map[string]func(*rapid.T){
			"": m.check, "open": m.open, "send": m.send, "send ": m.send, "take": m.take, "take ": m.take, "want": m.want, "end": m.endHalf,
			"reset": m.resetChannel, "move": m.move, "move ": m.move, "move  ": m.move, "break": m.break_, "resume": m.resume,
			"resume ": m.resume, "ghost": m.ghost, "pass": m.pass, "cancel": m.cancel,
		})
		m.finish()
	})
}

// Whatever comes, a session takes it or says what is wrong, and holds no more than its windows allow.
func FuzzReceive(f *testing.F) {
	var b []byte
	b = muxframe.AppendOpen(b, 1, "x", nil)
	b = append(muxframe.AppendData(b, 1, muxframe.Fin, 5), "hello"...)
	b = append(muxframe.AppendData(b, 1, 0, 5), "hello"...)
	b = muxframe.AppendData(b, 1, muxframe.Fin|muxframe.Void, 0)
	b = muxframe.AppendWindow(b, 1, 1000)
	b = muxframe.AppendGrant(b, 1, 0, 1000)
	b = muxframe.AppendEnd(b, 1, muxframe.Stop)
	b = muxframe.AppendOpen(b, 3, "y", []byte("meta"))
	b = muxframe.AppendReset(b, 3, 9)
	b = muxframe.AppendPing(b, muxframe.Ping, 7)
	b = muxframe.AppendAck(b, 0)
	b = muxframe.AppendGoaway(b, 0)
	f.Add(b, 1)
	f.Add(b, 100)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		p := newPair(t, nil)
		c := p.b.open("ours")
		p.b.send(c, "hello")
		p.b.lend(1000, 1)
		var rest []byte
		for len(b) > 0 {
			n := min(max(step, 1), len(b))
			rest = append(rest, b[:n]...)
			b = b[n:]
			k, err := p.b.s.Receive(rest, p.now)
			if err != nil {
				break
			}
			rest = bytes.Clone(rest[k:])
			p.b.lend(1<<20, p.now)
		}
		if p.b.s.Buffered() > int(usual.Session)+int(usual.MaxMessage) {
			t.Fatalf("%d bytes are held", p.b.s.Buffered())
		}
		p.b.s.Terminate(ErrGone)
	})
}
