package http2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// parking is a client and a server that are parked between requests, as chance has it, and take what others have left.
type parking struct {
	t      *testing.T
	rnd    *rand.Rand
	ends   [2]*Conn // client, server
	wires  [2][]byte
	spares []*Workspace
	parked int
}

// between parks an end, or has it use what was parked before.
func (p *parking) between(i int) {
	c := p.ends[i]
	if p.rnd.IntN(2) == 0 {
		if w := c.Park(); w != nil {
			p.spares = append(p.spares, w)
			p.parked++
		}
	}
	if n := len(p.spares); n > 0 && c.Parked() && p.rnd.IntN(2) == 0 {
		c.Use(p.spares[n-1])
		p.spares = p.spares[:n-1]
	}
}

// carry has all that was sent arrive at the end i, and returns what it says of a head.
func (p *parking) carry(i int) (ev Event) {
	p.t.Helper()
	in := p.wires[1-i]
	for {
		e, n, err := p.ends[i].Next(in, 1)
		if err != nil {
			p.t.Fatal(err)
		}
		in = in[n:]
		switch e.Kind {
		case None:
			p.wires[1-i] = p.wires[1-i][:0]
			p.wires[i] = p.ends[i].AppendPending(p.wires[i])
			return ev
		case Headers:
			ev = e
			head := *e.Head
			head.Fields = slices.Clone(head.Fields)
			ev.Head = &head
		}
	}
}

// some are fields that come again, and some that do not.
func (p *parking) some(n int, first ...string) []Field {
	f := fieldsOf(first...)
	for range p.rnd.IntN(5) {
		f = append(f, Field{Name: fmt.Sprint("x-", p.rnd.IntN(4)), Value: fmt.Sprint("value ", p.rnd.IntN(3))})
	}
	return append(f, Field{Name: "x-once", Value: fmt.Sprint(n)})
}

// TestParkedGoesOn: whoever is parked, and with whatever memory it wakes, understands and is understood.
func TestParkedGoesOn(t *testing.T) {
	for seed := range uint64(40) {
		p := &parking{t: t, rnd: rand.New(rand.NewPCG(seed, 13))}
		cfg := &Config{}
		switch seed % 4 {
		case 1:
			cfg = (Config{DecoderTable: 100}).Complete()
		case 2:
			cfg.EncoderTable, cfg.DecoderTable = 200, 8000
		}
		p.ends = [2]*Conn{NewClient(cfg, 1), NewServer(cfg, 1)}
		p.wires[0] = p.ends[0].AppendPending(nil)
		for n := range 80 {
			p.between(0)
			p.between(1)
			client, server := p.ends[0], p.ends[1]
			s, err := client.Open(nil)
			if err != nil {
				t.Fatal(err)
			}
			asked := p.some(n, ":method: GET", ":scheme: https", ":authority: example.com", fmt.Sprint(":path: /", n%3))
			p.wires[0] = client.AppendHeaders(p.wires[0], s, asked, true)
			ev := p.carry(1)
			if ev.Head == nil || !slices.Equal(ev.Head.Fields, asked[4:]) || ev.Head.Authority != "example.com" {
				t.Fatalf("seed %d, request %d: %+v instead of %v", seed, n, ev.Head, asked)
			}
			if w := server.Park(); w != nil {
				t.Fatal("parked with a stream")
			}
			answered := p.some(n, ":status: 200")
			p.wires[1] = server.AppendHeaders(p.wires[1], ev.Stream, answered, true)
			server.Release(ev.Stream)
			ev = p.carry(0)
			if ev.Head == nil || !slices.Equal(ev.Head.Fields, answered[1:]) || ev.Head.Status != 200 {
				t.Fatalf("seed %d, answer %d: %+v instead of %v", seed, n, ev.Head, answered)
			}
			client.Release(s)
		}
		if p.parked < 40 {
			t.Errorf("seed %d: parked %d times", seed, p.parked)
		}
	}
}

// TestParkWaits: nothing is given away in the middle of a frame or a header block.
func TestParkWaits(t *testing.T) {
	block := "\x82\x84\x87\x01\x01a" // GET https a /
	for name, tc := range map[string]struct{ begun, rest string }{
		"a frame": {frame(0xbe, 0, 0, "12345678")[:FrameHeaderLen+2], "345678" + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block)},
		"a block": {frame(FrameHeaders, FlagEndStream, 1, block[:2]), frame(FrameContinuation, FlagEndHeaders, 1, block[2:])},
	} {
		tk := server(t, Config{})
		tk.send(tc.begun)
		tk.silent()
		if tk.c.Park() != nil {
			t.Errorf("%s: parked within it", name)
		}
		tk.send(tc.rest)
		tk.want("Headers 1 GET https a / END")
	}
}
