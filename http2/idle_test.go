package http2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// shelf is a Config.Pool whose content a test can see.
type shelf struct {
	all []any
	put int // how often something was put into it
}

func (p *shelf) Get() (v any) {
	if n := len(p.all); n > 0 {
		v, p.all = p.all[n-1], p.all[:n-1]
	}
	return v
}

func (p *shelf) Put(v any) {
	p.all = append(p.all, v)
	p.put++
}

// trimming is a client and a server that are trimmed at random between requests, and use each other's memory.
type trimming struct {
	t     *testing.T
	rnd   *rand.Rand
	ends  [2]*Conn // client, server
	wires [2][]byte
	pool  shelf
}

// between trims an end, or overwrites the content of the pool.
func (p *trimming) between(i int) {
	if p.rnd.IntN(2) == 0 {
		p.ends[i].Trim()
		if p.ends[i].work != nil {
			p.t.Error("trimmed with a workspace")
		}
	}
	p.rnd.Shuffle(len(p.pool.all), func(a, b int) { p.pool.all[a], p.pool.all[b] = p.pool.all[b], p.pool.all[a] })
}

// carry delivers everything that was sent to end i, and returns the head that it received.
func (p *trimming) carry(i int) (ev Event) {
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
func (p *trimming) some(n int, first ...string) []Field {
	f := fieldsOf(first...)
	for range p.rnd.IntN(5) {
		f = append(f, Field{Name: fmt.Sprint("x-", p.rnd.IntN(4)), Value: fmt.Sprint("value ", p.rnd.IntN(3))})
	}
	return append(f, Field{Name: "x-once", Value: fmt.Sprint(n)})
}

// An end that was trimmed still encodes and decodes correctly, whatever memory it gets afterwards.
func TestTrimmedGoesOn(t *testing.T) {
	for seed := range uint64(40) {
		p := &trimming{t: t, rnd: rand.New(rand.NewPCG(seed, 13))}
		cfg := &Config{Pool: &p.pool}
		switch seed % 4 {
		case 1:
			cfg.DecoderTable = 100
			cfg = cfg.Complete()
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
			if server.Trim(); server.work == nil {
				t.Fatal("no workspace, but a stream")
			}
			fields := p.some(n, ":status: 200")
			p.wires[1] = server.AppendHeaders(p.wires[1], ev.Stream, fields, true)
			server.Release(ev.Stream)
			ev = p.carry(0)
			if ev.Head == nil || !slices.Equal(ev.Head.Fields, fields[1:]) || ev.Head.Status != 200 {
				t.Fatalf("seed %d, response %d: %+v instead of %v", seed, n, ev.Head, fields)
			}
			client.Release(s)
		}
		if p.pool.put < 40 {
			t.Errorf("seed %d: trimmed %d times", seed, p.pool.put)
		}
	}
}

// A table size that was announced to the peer still applies to the encoder after Trim.
func TestTrimForgetsNoSize(t *testing.T) {
	tk := server(t, Config{Pool: new(shelf)})
	ask := func(id uint32) {
		t.Helper()
		tk.send(tk.get(id))
		tk.next()
		out := tk.c.AppendHeaders(nil, streamOf(tk.c, id), fieldsOf(":status: 200", "x-a: value", "x-b: value", "x-c: value", "x-d: value"), true)
		tk.c.Release(streamOf(tk.c, id))
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
		if tk.c.Trim(); tk.c.work != nil {
			t.Fatal("not trimmed")
		}
		ask(uint32(8*id + 3)) // now with the fields it has put into the table, if the table is large enough
		ask(uint32(8*id + 5))
	}
}

// Memory in the pool holds nothing of the connection that used it before.
func TestPooledIsNobodys(t *testing.T) {
	pool := new(shelf)
	one := server(t, Config{Pool: pool})
	one.send(one.get(1, "x-secret: value"))
	one.want("Headers 1 GET https example.com / x-secret=value END")
	one.c.AppendHeaders(nil, streamOf(one.c, 1), fieldsOf(":status: 200"), true)
	one.c.Release(streamOf(one.c, 1))
	one.c.Trim()
	if len(pool.all) != 1 {
		t.Fatalf("%d in the pool", len(pool.all))
	}
	w := pool.all[0].(*workspace)
	if b := &w.recv.block; len(b.fields) > 0 || b.fields[:1][0] != (Field{}) || w.ended != (endings{}) || w.recv.core != nil || w.send.core != nil {
		t.Fatal("something is left")
	}
	two := server(t, Config{Pool: pool})
	if two.c.work != w {
		t.Fatal("the pool was not used")
	}
	two.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, "\x82\x84\x87\x01\x01a\xbe")) // the newest of the table
	two.next()
	if two.c.core.err == nil || two.c.core.err.Code != ErrCodeCompression {
		t.Errorf("a field of another connection can be referenced: %v", two.c.core.err)
	}
}

// Without a pool, or with one that is empty, a connection has memory of its own.
func TestOwnMemory(t *testing.T) {
	for _, cfg := range []Config{{}, {Pool: new(shelf)}} {
		tk := server(t, cfg)
		for id := uint32(1); id < 9; id += 2 {
			tk.send(tk.get(id))
			tk.want(fmt.Sprintf("Headers %d GET https example.com / END", id))
			tk.c.Release(tk.respond(streamOf(tk.c, id)))
			if tk.c.Trim(); (tk.c.work == nil) != (cfg.Pool != nil) {
				t.Errorf("with the pool %v the memory is %v", cfg.Pool, tk.c.work)
			}
		}
	}
}

// Trim keeps what is needed in the middle of a frame or a header block.
func TestTrimWaits(t *testing.T) {
	block := "\x82\x84\x87\x01\x01a" // GET https a /
	for name, tc := range map[string]struct{ begun, rest string }{
		"a frame": {frame(0xbe, 0, 0, "12345678")[:FrameHeaderLen+2], "345678" + frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, block)},
		"a block": {frame(FrameHeaders, FlagEndStream, 1, block[:2]), frame(FrameContinuation, FlagEndHeaders, 1, block[2:])},
	} {
		tk := server(t, Config{Pool: new(shelf)})
		tk.send(tc.begun)
		tk.silent()
		if tk.c.Trim(); tk.c.work == nil {
			t.Errorf("%s: no workspace within it", name)
		}
		tk.send(tc.rest)
		tk.want("Headers 1 GET https a / END")
	}
}

// A table size that the peer acknowledges while the connection is trimmed applies from then on (RFC 7541 §4.2).
func TestTrimmedHearsTheAcknowledgement(t *testing.T) {
	for _, trim := range []bool{false, true} {
		tk := &talk{t: t, c: NewServer(&Config{DecoderTable: 100, Pool: new(shelf)}, 1), now: 1}
		tk.c.AppendPending(nil)
		tk.send(Preface + settings() + tk.get(1, "x-a: b"))
		tk.want("Settings", "Headers 1 GET https example.com / x-a=b END")
		s := streamOf(tk.c, 1)
		tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), true)
		tk.c.Release(s)
		if trim {
			if tk.c.Trim(); tk.c.work != nil {
				t.Fatal("not trimmed")
			}
		}
		tk.send(frame(FrameSettings, FlagAck, 0, ""))
		tk.want("SettingsAck")
		tk.send(tk.get(3, "x-a: b")) // it does not announce a smaller table
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
