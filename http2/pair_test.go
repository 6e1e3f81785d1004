package http2

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// pair is a client and a server of ours and the bytes between them. Requests carry bodies, the server sends them back.
type pair struct {
	t       *testing.T
	rnd     *rand.Rand
	now     int64
	ends    [2]*Conn // client, server
	wires   [2][]byte
	asked   int
	answers int
	resets  int
}

// exchange is what either end keeps with a stream.
type exchange struct {
	out  []byte // to be sent
	in   []byte
	over bool // the peer's message has ended
	sent bool // so has ours
}

func newPair(t *testing.T, seed uint64, cfg Config) *pair {
	p := &pair{t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
	p.ends = [2]*Conn{NewClient(&cfg, 0), NewServer(&cfg, 0)}
	return p
}

// step has some bytes arrive at one end, and the end do something.
func (p *pair) step(limit int) {
	p.now += int64(p.rnd.IntN(5)) * msec
	i := p.rnd.IntN(2)
	c, from := p.ends[i], 1-i
	n := min(len(p.wires[from]), p.rnd.IntN(40000))
	in := p.wires[from][:n]
	for {
		ev, n, err := c.Next(in, p.now)
		if err != nil {
			p.t.Fatalf("end %d: %v", i, err)
		}
		in = in[n:]
		p.wires[from] = p.wires[from][n:]
		if ev.Kind == None {
			break
		}
		p.event(c, ev)
	}
	if c.client && p.asked < limit {
		p.ask(c)
	}
	p.send(i)
	p.wires[i] = c.AppendPending(p.wires[i])
	checkConn(p.t, c)
}

func (p *pair) event(c *Conn, ev Event) {
	s := ev.Stream
	var x *exchange
	if s != nil {
		if s.Owner == nil {
			s.Owner = &exchange{}
		}
		x = s.Owner.(*exchange)
	}
	switch ev.Kind {
	case Data:
		x.in = append(x.in, ev.Data...)
		c.Consumed(s, len(ev.Data), p.now)
	case Reset:
		if ev.Err != nil {
			p.t.Fatal(ev.Err)
		}
		p.resets++
		c.Release(s)
		return
	}
	if !ev.EndStream {
		return
	}
	x.over = true
	if !c.client {
		x.out = x.in
		p.wires[1] = c.AppendHeaders(p.wires[1], s, fieldsOf(":status: 200", fmt.Sprint("content-length: ", len(x.out))), false)
		c.Ready(s, p.now)
	}
}

func (p *pair) ask(c *Conn) {
	s, err := c.Open(nil)
	if err != nil {
		return
	}
	p.asked++
	x := &exchange{out: bytes.Repeat([]byte{byte(s.ID())}, p.rnd.IntN(200_000))}
	s.Owner = x
	p.wires[0] = c.AppendHeaders(p.wires[0], s, fieldsOf(":method: POST", ":scheme: https", ":authority: a", ":path: /",
		fmt.Sprint("content-length: ", len(x.out)), fmt.Sprintf("priority: u=%d", p.rnd.IntN(8))), false)
	c.Ready(s, p.now)
}

func (p *pair) send(i int) {
	c := p.ends[i]
	// Ends without a byte need no window, and are not the scheduler's.
	for s := range c.Streams {
		if x, _ := s.Owner.(*exchange); x != nil && s.has(flagReady) && len(x.out) == 0 {
			p.wires[i], _ = c.AppendData(p.wires[i], s, nil, true, p.now)
			x.sent = true
		}
	}
	for range p.rnd.IntN(8) {
		s := c.NextSender()
		if s == nil {
			break
		}
		x := s.Owner.(*exchange)
		k := min(len(x.out), p.rnd.IntN(30_000))
		var n int
		p.wires[i], n = c.AppendData(p.wires[i], s, x.out[:k], k == len(x.out), p.now)
		x.sent = k == len(x.out) && n == k
		if c.client {
			x.out = x.out[n:]
		} else {
			x.out = x.out[n:]
		}
	}
	var done []*Stream
	for s := range c.Streams {
		x, _ := s.Owner.(*exchange)
		switch {
		case x == nil:
		case x.over && s.State() == Closed:
			done = append(done, s)
		case c.client && p.rnd.IntN(500) == 0:
			done = append(done, s) // the client loses interest
		}
	}
	for _, s := range done {
		x := s.Owner.(*exchange)
		if c.client && x.over {
			p.answers++
			if bytes.Count(x.in, []byte{byte(s.ID())}) != len(x.in) {
				p.t.Fatal("the answer is another's")
			}
		}
		c.Release(s)
	}
}

func TestClientAgainstServer(t *testing.T) {
	for seed := range uint64(8) {
		cfg := Config{}
		if seed%2 == 1 {
			cfg = Config{InitialWindow: 1000, MaxWindow: 5000, MaxConnWindow: 70_000, MaxStreams: 10, DecoderTable: 128}
		}
		p := newPair(t, seed, cfg)
		const limit = 60
		for range 100_000 {
			p.step(limit)
			if p.asked == limit && p.ends[0].Len() == 0 && p.ends[1].Len() == 0 {
				break
			}
		}
		if p.asked != limit || p.ends[0].Len() != 0 || p.ends[1].Len() != 0 || p.answers == 0 {
			t.Fatalf("seed %d: asked %d, answered %d, reset %d; left %d and %d", seed, p.asked, p.answers, p.resets, p.ends[0].Len(), p.ends[1].Len())
		}
	}
}

// FuzzPair has an end of ours talk to the other, at a pace and in pieces that the seed says: neither may find a fault in
// what the other sends.
func FuzzPair(f *testing.F) {
	f.Add(uint64(1), uint32(0), uint32(0), uint16(0))
	f.Add(uint64(2), uint32(1), uint32(70_000), uint16(1))
	f.Add(uint64(3), uint32(100_000), uint32(1<<20), uint16(4096))
	f.Fuzz(func(t *testing.T, seed uint64, window, connWindow uint32, table uint16) {
		p := newPair(t, seed, Config{
			InitialWindow: window % (1 << 20), MaxConnWindow: connWindow % (1 << 22), DecoderTable: uint32(table), EncoderTable: uint32(table) / 2,
			StallTimeout: -1,
		})
		for range 300 {
			p.step(10)
		}
	})
}
