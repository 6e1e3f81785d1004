package muxsession

import (
	"bytes"
	"fmt"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// failer is a test, or a run of rapid's.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// memory counts lent slices, and overwrites those that come back.
type memory struct {
	t    failer
	lent map[*byte]int
	held int // bytes
	most int
}

func (m *memory) Get(size int) []byte {
	n := 256
	for n < size {
		n *= 4
	}
	b := make([]byte, size, n)
	m.lent[&b[:1][0]] = n
	m.held += n
	m.most = max(m.most, m.held)
	return b
}

func (m *memory) Put(b []byte) {
	p := &b[:1][0]
	n, ok := m.lent[p]
	if !ok {
		m.t.Fatalf("memory was given back that is not lent")
	}
	m.held -= n
	delete(m.lent, p)
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xdb
	}
}

// end is one side of a session in a test.
type end struct {
	t         failer
	name      string
	s         *Session
	mem       *memory
	announced []*Channel
	done      []*Send
	readable  int
	over      []string
	drops     bool // messages of a channel that is over are not taken
	acked     int
	wire      []byte // on its way to the peer
	unread    []byte // has arrived and was not taken
	now       *int64 // the pair's
}

func (e *end) Exact() int64 { return *e.now }

func (e *end) Announced(name string, meta []byte) *Channel {
	c := &Channel{Owner: string(meta)}
	e.announced = append(e.announced, c)
	return c
}
func (e *end) Readable(*Channel) { e.readable++ }
func (e *end) Sent(p *Send)      { e.done = append(e.done, p) }
func (e *end) Acked(*Channel)    { e.acked++ }
func (e *end) Over(c *Channel) bool {
	e.over = append(e.over, c.Name())
	return e.drops
}

// pair is a session between two slices of bytes.
type pair struct {
	t   failer
	a   *end // the dialler
	b   *end
	now int64
}

var usual = muxframe.Limits{Window: 64 << 10, Session: 1 << 20, MaxMessage: 1 << 20, Channels: 100, Reserve: 1 << 10}

// newPair returns a session that is connected. change may be nil.
func newPair(t failer, change func(c *Config)) *pair {
	p := &pair{t: t, now: 1}
	mk := func(name string, dialler bool) *end {
		e := &end{t: t, name: name, now: &p.now, mem: &memory{t: t, lent: map[*byte]int{}}}
		cfg := Config{Dialler: dialler, Watcher: e, Theirs: usual, Settings: &Settings{Memory: e.mem, Ours: usual, MaxChannels: 100, Kept: 4 << 20}}
		if change != nil {
			change(&cfg)
		}
		e.s = New(cfg)
		return e
	}
	p.a, p.b = mk("dialler", true), mk("listener", false)
	p.connect()
	return p
}

func (p *pair) peer(e *end) *end {
	if e == p.a {
		return p.b
	}
	return p.a
}

// connect gives both sides a connection.
func (p *pair) connect() {
	p.t.Helper()
	ra, rb := p.a.s.Received(), p.b.s.Received()
	if !p.a.s.Attach(rb, p.now) || !p.b.s.Attach(ra, p.now) {
		p.t.Fatalf("cannot be resumed: %d and %d received", ra, rb)
	}
}

// cut takes the connection away, with the bytes that are under way.
func (p *pair) cut() {
	for _, e := range []*end{p.a, p.b} {
		e.s.Detach()
		e.wire, e.unread = nil, nil
	}
}

// lend puts the output of e on its wire, about that many bytes.
func (e *end) lend(most int, now int64) bool {
	ctl, data, _ := e.s.Lend(nil, make([][]byte, 0, 8), most)
	n := len(e.wire)
	e.wire = append(e.wire, ctl...)
	for _, d := range data {
		e.wire = append(e.wire, d...)
	}
	return len(e.wire) > n
}

// deliver passes n bytes on the wire of e to its peer.
func (p *pair) deliver(e *end, n int) error {
	to := p.peer(e)
	to.unread = append(to.unread, e.wire[:n]...)
	e.wire = e.wire[n:]
	k, err := to.s.Receive(to.unread, p.now)
	to.unread = append([]byte(nil), to.unread[k:]...)
	return err
}

// run delivers everything until neither side has more to send, step bytes at a time; 0 is all at once.
func (p *pair) run(step int) {
	p.t.Helper()
	for again := true; again; {
		again = false
		for _, e := range []*end{p.a, p.b} {
			for e.lend(1<<20, p.now) || len(e.wire) > 0 {
				again = true
				n := len(e.wire)
				if step > 0 {
					n = min(n, step)
				}
				if err := p.deliver(e, n); err != nil {
					p.t.Fatalf("what the %s has sent: %v", e.name, err)
				}
			}
		}
	}
}

// settle is run and then so much time that everything is acknowledged.
func (p *pair) settle(step int) {
	p.t.Helper()
	for range 3 {
		p.run(step)
		p.now += ackDelay
		p.a.s.Tick(p.now)
		p.b.s.Tick(p.now)
	}
	p.run(step)
}

func (e *end) open(name string) *Channel {
	e.t.Helper()
	c := &Channel{}
	if !e.s.Open(c, name, nil, false) {
		e.t.Fatalf("the %s has no number", e.name)
	}
	return c
}

// accept returns the next channel that was announced.
func (e *end) accept(name string) *Channel {
	e.t.Helper()
	if len(e.announced) == 0 {
		e.t.Fatalf("the %s got no channel, want %q", e.name, name)
	}
	c := e.announced[0]
	e.announced = e.announced[1:]
	if c.Name() != name {
		e.t.Fatalf("the %s got %q, want %q", e.name, c.Name(), name)
	}
	return c
}

func (e *end) send(c *Channel, text string) *Send {
	p := &Send{P: []byte(text)}
	if e.s.Send(c, p) {
		e.done = append(e.done, p)
	}
	return p
}

// want checks the messages that wait in c.
func (e *end) want(c *Channel, why string, texts ...string) {
	e.t.Helper()
	for i, text := range texts {
		if !c.Ready() {
			e.t.Fatalf("%s: the %s has %d messages in %q, want %d", why, e.name, i, c.Name(), len(texts))
		}
		if c.Next() != len(text) {
			e.t.Fatalf("%s: message %d of %d bytes, want %d", why, i, c.Next(), len(text))
		}
		buf := make([]byte, len(text))
		if i%2 == 0 {
			e.s.TakeInto(c, buf)
		} else {
			b := e.s.Take(c)
			copy(buf, b)
			e.mem.Put(b)
		}
		if string(buf) != text {
			e.t.Fatalf("%s: got %.40q, want %.40q", why, buf, text)
		}
	}
	if c.Ready() {
		e.t.Fatalf("%s: the %s has another message in %q", why, e.name, c.Name())
	}
}

// text returns a message of n bytes that contains k.
func text(k, n int) string {
	b := []byte(fmt.Sprintf("%d.", k))
	if len(b) < n {
		b = append(b, bytes.Repeat([]byte{'a' + byte(k%26)}, n-len(b))...)
	}
	return string(b[:n])
}
