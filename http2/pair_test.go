package http2

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// pair is a client and a server of ours, and the bytes between them. Requests carry bodies, which the server sends back.
type pair struct {
	t         *testing.T
	rnd       *rand.Rand
	now       int64
	ends      [2]*Conn // client, server
	wires     [2]bytes.Buffer
	asked     int
	responses int
	resets    int
}

// exchange is what each end stores for a stream. Every byte of its bodies is the stream's number.
type exchange struct {
	size int  // of the body that is sent
	out  int  // how much of it is still to be sent
	in   int  // bytes received
	over bool // the peer's message has ended
}

func newPair(t *testing.T, seed uint64, cfg Config) *pair {
	p := &pair{t: t, rnd: rand.New(rand.NewPCG(seed, 7))}
	p.ends = [2]*Conn{NewClient(&cfg, 0), NewServer(&cfg, 0)}
	return p
}

// step delivers some bytes to one end, and lets that end act.
func (p *pair) step(limit int) {
	p.now += int64(p.rnd.IntN(5)) * msec
	i := p.rnd.IntN(2)
	c, from := p.ends[i], 1-i
	n := min(p.wires[from].Len(), p.rnd.IntN(40000))
	in := p.wires[from].Bytes()[:n]
	for {
		ev, n, err := c.Next(in, p.now)
		if err != nil {
			p.t.Fatalf("end %d: %v", i, err)
		}
		in = in[n:]
		p.wires[from].Next(n)
		if ev.Kind == EventNone {
			break
		}
		p.event(c, ev)
	}
	if c.core.client && p.asked < limit {
		p.ask(c)
	}
	p.send(i)
	p.wires[i].Write(c.AppendPending(p.wires[i].AvailableBuffer()))
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
	case EventData:
		if bytes.Count(ev.Data, []byte{byte(s.ID())}) != len(ev.Data) {
			p.t.Fatal("the body is another's")
		}
		x.in += len(ev.Data)
		c.Consumed(s, len(ev.Data), p.now)
	case EventReset:
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
	if !c.core.client {
		x.size, x.out = x.in, x.in
		p.head(1, s, ":status: 200", fmt.Sprint("content-length: ", x.out))
		c.Ready(s, p.now)
	}
}

func (p *pair) ask(c *Conn) {
	s, err := c.Open(nil)
	if err != nil {
		return
	}
	p.asked++
	size := p.rnd.IntN(200_000)
	s.Owner = &exchange{size: size, out: size}
	p.head(0, s, ":method: POST", ":scheme: https", ":authority: a", ":path: /",
		fmt.Sprint("content-length: ", size), fmt.Sprintf("priority: u=%d", p.rnd.IntN(8)))
	c.Ready(s, p.now)
}

func (p *pair) head(i int, s *Stream, fields ...string) {
	w := &p.wires[i]
	w.Write(p.ends[i].AppendHeaders(w.AvailableBuffer(), s, fieldsOf(fields...), false))
}

// bodies are the pieces in which bodies are sent, by their byte.
var bodies [256][]byte

// data sends at most k bytes of s's body.
func (p *pair) data(i int, s *Stream, k int) {
	x, id := s.Owner.(*exchange), byte(s.ID())
	k = min(k, x.out)
	if len(bodies[id]) < k {
		bodies[id] = bytes.Repeat([]byte{id}, 30_000)
	}
	w := &p.wires[i]
	b, n := p.ends[i].AppendData(w.AvailableBuffer(), s, bodies[id][:k], k == x.out, p.now)
	w.Write(b)
	x.out -= n
}

func (p *pair) send(i int) {
	c := p.ends[i]
	// An empty DATA frame with END_STREAM needs no window and no turn.
	for s := range c.Streams {
		if x, _ := s.Owner.(*exchange); x != nil && s.turn != turnNone && x.out == 0 {
			p.data(i, s, 0)
		}
	}
	for range p.rnd.IntN(8) {
		s := c.NextSender()
		if s == nil {
			break
		}
		p.data(i, s, p.rnd.IntN(30_000))
	}
	var done []*Stream
	for s := range c.Streams {
		x, _ := s.Owner.(*exchange)
		switch {
		case x == nil:
		case x.over && s.State() == StateClosed:
			done = append(done, s)
		case c.core.client && p.rnd.IntN(500) == 0:
			done = append(done, s) // the client loses interest
		}
	}
	for _, s := range done {
		x := s.Owner.(*exchange)
		if c.core.client && x.over {
			p.responses++
			if x.in != x.size {
				p.t.Fatalf("%d of %d bytes came back", x.in, x.size)
			}
		}
		c.Release(s)
	}
}

// A client and a server that do random things complete all requests, and neither finds an error.
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
		if p.asked != limit || p.ends[0].Len() != 0 || p.ends[1].Len() != 0 || p.responses == 0 {
			t.Fatalf("seed %d: asked %d, responses %d, reset %d; left %d and %d", seed, p.asked, p.responses, p.resets, p.ends[0].Len(), p.ends[1].Len())
		}
	}
}

// FuzzPair connects two ends of ours, with pauses and pieces that depend on the seed: neither may find an error in what
// the other sends.
func FuzzPair(f *testing.F) {
	f.Add(uint64(1), uint32(0), uint32(0), uint16(0))
	f.Add(uint64(2), uint32(1), uint32(70_000), uint16(1))
	f.Add(uint64(3), uint32(100_000), uint32(1<<20), uint16(4096))
	var wires [2]bytes.Buffer // their memory is used again
	f.Fuzz(func(t *testing.T, seed uint64, window, connWindow uint32, table uint16) {
		p := newPair(t, seed, Config{
			InitialWindow: window % (1 << 20), MaxConnWindow: connWindow % (1 << 22), DecoderTable: uint32(table), EncoderTable: uint32(table) / 2,
			StallTimeout: -1,
		})
		for i := range wires {
			wires[i].Reset()
		}
		p.wires = wires
		for range 300 {
			p.step(10)
		}
		wires = p.wires
	})
}
