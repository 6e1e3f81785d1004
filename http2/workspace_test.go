package http2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// parking is a client and a server that are parked at random between requests, and use each other's Workspaces.
type parking struct {
	t      *testing.T
	rnd    *rand.Rand
	ends   [2]*Conn // client, server
	wires  [2][]byte
	spares []*Workspace
	parked int
}

// between parks an end, or lets it use a Workspace that another one had.
func (p *parking) between(i int) {
	c := p.ends[i]
	if p.rnd.IntN(2) == 0 {
		if w := c.Park(); w != nil {
			p.spares = append(p.spares, w)
			p.parked++
			if !c.Parked() {
				p.t.Error("not parked without its Workspace")
			}
		}
	}
	if n := len(p.spares); n > 0 && c.Parked() && p.rnd.IntN(2) == 0 {
		k := p.rnd.IntN(n)
		c.Use(p.spares[k])
		p.spares = slices.Delete(p.spares, k, k+1)
		if c.Parked() {
			p.t.Error("parked with a Workspace")
		}
	}
}

// carry delivers everything that was sent to end i, and returns the head that it received.
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
		case EventNone:
			p.wires[1-i] = p.wires[1-i][:0]
			p.wires[i] = p.ends[i].AppendPending(p.wires[i])
			return ev
		case EventHeaders:
			ev = e
			head := *e.Head
			head.Fields = slices.Clone(head.Fields)
			ev.Head = &head
		}
	}
}

// some returns fields, of which some are repeated and some are not.
func (p *parking) some(n int, first ...string) []Field {
	f := fieldsOf(first...)
	for range p.rnd.IntN(5) {
		f = append(f, Field{Name: fmt.Sprint("x-", p.rnd.IntN(4)), Value: fmt.Sprint("value ", p.rnd.IntN(3))})
	}
	return append(f, Field{Name: "x-once", Value: fmt.Sprint(n)})
}

// TestParkedGoesOn: an end that was parked still encodes and decodes correctly, whatever Workspace it uses afterwards.
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

// TestParkForgetsNoSize: a table size that was announced to the peer still applies to the encoder after Park.
func TestParkForgetsNoSize(t *testing.T) {
	tk := server(t, Config{})
	ask := func(id uint32) {
		t.Helper()
		tk.send(tk.get(id))
		tk.next()
		out := tk.c.AppendHeaders(nil, tk.c.Stream(id), fieldsOf(":status: 200", "x-a: value", "x-b: value", "x-c: value", "x-d: value"), true)
		tk.c.Release(tk.c.Stream(id))
		h := FrameHeader{}
		for h.Type != FrameHeaders {
			h, out = ParseFrameHeader(out), out[FrameHeaderLen:]
			if h.Type != FrameHeaders {
				out = out[h.Length:]
			}
		}
		if f, err := tk.dec.Decode(out[:h.Length]); err != nil || len(f) != 5 {
			t.Fatalf("stream %d: %v, %v", id, f, err)
		}
	}
	for id, size := range []uint32{100, 4096, 200, 4096} {
		tk.send(settings(settingTableSize, size))
		tk.want("Settings")
		tk.dec.SetAllowedTableSize(int(size))
		if id%2 == 0 {
			ask(uint32(8*id + 1))
		}
		tk.c.AppendPending(nil)
		if tk.c.Park() == nil {
			t.Fatal("not parked")
		}
		ask(uint32(8*id + 3)) // and now with what it has put into the table, if that is large enough
		ask(uint32(8*id + 5))
	}
}

// TestUsedIsNobodys: a Workspace holds nothing of the connection that used it before.
func TestUsedIsNobodys(t *testing.T) {
	one, two := server(t, Config{}), server(t, Config{})
	one.send(one.get(1, "x-secret: value"))
	one.want("Headers 1 GET https example.com / x-secret=value END")
	one.c.AppendHeaders(nil, one.c.Stream(1), fieldsOf(":status: 200"), true)
	one.c.Release(one.c.Stream(1))
	w := one.c.Park()
	if w == nil || len(w.block.fields) > 0 || w.block.fields[:1][0] != (Field{}) || w.ended != (endings{}) {
		t.Fatal("something is left")
	}
	two.c.Park()
	two.c.Use(w)
	two.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, "\x82\x84\x87\x01\x01a\xbe")) // the newest of the table
	two.next()
	if two.c.err == nil || two.c.err.Code != ErrCodeCompression {
		t.Errorf("what another has sent can be asked for: %v", two.c.err)
	}
}

// TestParkWaits: Park returns no Workspace in the middle of a frame or a header block.
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

// TestParkedHearsTheAcknowledgement: a table size that the peer acknowledges while the connection is parked applies from
// then on (RFC 7541 §4.2).
func TestParkedHearsTheAcknowledgement(t *testing.T) {
	for _, park := range []bool{false, true} {
		tk := &talk{t: t, c: NewServer(&Config{DecoderTable: 100}, 1), now: 1}
		tk.c.AppendPending(nil)
		tk.send(Preface + settings() + tk.get(1, "x-a: b"))
		tk.want("Settings", "Headers 1 GET https example.com / x-a=b END")
		s := tk.c.Stream(1)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), true)
		tk.c.Release(s)
		if park && (tk.c.Park() == nil || !tk.c.Parked()) {
			t.Fatal("not parked")
		}
		tk.send(frame(FrameSettings, FlagAck, 0, ""))
		tk.want("SettingsAck")
		tk.send(tk.get(3, "x-a: b")) // says nothing of a smaller table
		tk.want("error http2: header block that cannot be decompressed (COMPRESSION_ERROR, RFC 9113 §4.3)")
	}
	tk := server(t, Config{DecoderTable: 100}) // has been acknowledged before the first block
	tk.send(tk.get(1))
	tk.want("error http2: header block that cannot be decompressed (COMPRESSION_ERROR, RFC 9113 §4.3)")
	tk = server(t, Config{DecoderTable: 100})
	tk.enc.SetMaxTableSize(100)
	tk.send(tk.get(1))
	tk.want("Headers 1 GET https example.com / END")
}
