package http2

import (
	"bytes"
	"strings"
	"testing"
)

// pattern is what a harmless peer does repeatedly.
type pattern struct {
	name  string
	times uint32
	pause int64 // nanoseconds between two times
	once  func(tk *talk, i uint32)
}

// patterns are those of clients. None of them may ever be cut off.
var patterns = []pattern{
	{"cancels half of what it asks for", 20_000, 0, func(tk *talk, i uint32) {
		a, b := 4*i+1, 4*i+3
		tk.send(tk.get(a) + tk.get(b) + reset(a, ErrCodeCancel))
		tk.drain()
		tk.respondAll("hello")
	}},
	{"cancels all of a page's requests, and asks for another every few seconds", 200, 5 * second, func(tk *talk, i uint32) {
		for k := range uint32(100) {
			tk.send(tk.get(2*(100*i+k) + 1))
		}
		tk.drain()
		for k := range uint32(100) {
			tk.send(reset(2*(100*i+k)+1, ErrCodeCancel))
		}
		tk.drain()
	}},
	{"sends PING every few seconds for days", 100_000, 3 * second, func(tk *talk, _ uint32) {
		tk.send(frame(FramePing, 0, 0, "12345678"))
		tk.drain()
	}},
	{"sends two WINDOW_UPDATE for every message of a stream", 10_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(tk.get(1))
			tk.drain()
			tk.c.AppendHeaders(nil, streamOf(tk.c, 1), fieldsOf(":status: 200"), false)
		}
		s := streamOf(tk.c, 1)
		if _, n := tk.c.AppendData(nil, s, make([]byte, 50), false, tk.now); n != 50 {
			tk.t.Fatalf("%d bytes", n)
		}
		tk.send(windowUpdate(0, 50) + windowUpdate(1, 50))
		tk.drain()
	}},
	{"downloads, and opens both windows for every frame", 3_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(tk.get(1))
			tk.drain()
			tk.c.AppendHeaders(nil, streamOf(tk.c, 1), fieldsOf(":status: 200"), false)
		}
		_, n := tk.c.AppendData(nil, streamOf(tk.c, 1), megabyte[:], false, tk.now)
		tk.send(windowUpdate(0, uint32(n)) + windowUpdate(1, uint32(n)))
		tk.drain()
	}},
	{"uploads byte by byte", 10_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(tk.post(1))
		}
		tk.send(data(1, 0, "x"))
		tk.drain()
	}},
	{"repeats a cookie of 3 KB, which is in the table, with every request", 10_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.get(2*i+1, "cookie: "+string(cookie[:]), "x-a: 1", "x-b: 2"))
		tk.drain()
		tk.respondAll("hello")
	}},
	{"asks with 190 small fields, all of them in the tables", 10_000, 0, func(tk *talk, i uint32) {
		block := tk.block(getLines...) + strings.Repeat("\x90", 190) // accept-encoding: gzip, deflate
		tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 2*i+1, block))
		tk.drain()
		tk.respondAll("hello")
	}},
	{"pads every frame of an upload to a multiple of 256 bytes", 10_000, 0, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(tk.post(1))
		}
		tk.send(data(1, FlagPadded, "\x37"+string(megabyte[:200+55])))
		tk.drain()
	}},
	{"sends a short message with a lot of padding 40 times a second", 10_000, second / 40, func(tk *talk, i uint32) {
		if i == 0 {
			tk.send(tk.post(1))
		}
		tk.send(data(1, FlagPadded, "\xffx"+string(megabyte[:255])))
		tk.drain()
	}},
	{"posts one padded byte, and gets a response", 10_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i+1) + data(2*i+1, FlagPadded|FlagEndStream, "\xffx"+string(megabyte[:255])))
		tk.drain()
		tk.respondAll("hello")
	}},
	{"sends a PRIORITY_UPDATE, a frame of unknown type and a PING with every request", 10_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.get(2*i+1) + frame(FramePriorityUpdate, 0, 0, u32(2*i+1)+"u=1") + frame(0xb, 0, 0, "") + frame(FramePing, 0, 0, "12345678"))
		tk.drain()
		tk.respondAll("hello")
	}},
	{"uploads that are turned away while they are on their way", 2_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i + 1))
		tk.drain()
		tk.respondAll("no")
		for range 4 {
			tk.send(data(2*i+1, 0, string(megabyte[:16000])))
			tk.drain()
		}
	}},
	{"posts without its being read", 5_000, 0, func(tk *talk, i uint32) {
		tk.send(tk.post(2*i+1) + data(2*i+1, 0, "some"))
		tk.drain()
		tk.respondAll("no")
		tk.send(data(2*i+1, FlagEndStream, "thing"))
		tk.drain()
	}},
}

var (
	megabyte [1 << 20]byte
	cookie   = [3000]byte(bytes.Repeat([]byte("c"), 3000))
)

// pong answers the PINGs in what the connection says, and reports whether there are any.
func (tk *talk) pong(out []byte) (some bool) {
	for len(out) > 0 {
		h := ParseFrameHeader(out)
		if h.Type == FramePing && h.Flags&FlagAck == 0 {
			tk.send(frame(FramePing, FlagAck, 0, string(out[FrameHeaderLen:FrameHeaderLen+8])))
			some = true
		}
		out = out[FrameHeaderLen+h.Length:]
	}
	return some
}

// drain handles all events like an owner that consumes data at once, and answers PINGs like a peer.
func (tk *talk) drain() {
	tk.t.Helper()
	for {
		ev, n, err := tk.c.Next(tk.in, tk.now)
		tk.in = tk.in[n:]
		if err != nil {
			tk.t.Fatal(err)
		}
		switch ev.Kind {
		case EventNone:
			tk.in = append([]byte(nil), tk.in...)
			if !tk.pong(tk.c.AppendPending(nil)) {
				return
			}
		case EventData:
			tk.c.Consumed(ev.Stream, len(ev.Data), tk.now)
		case EventReset:
			tk.c.Release(ev.Stream)
		}
	}
}

// respondAll responds to all requests and releases them.
func (tk *talk) respondAll(body string) {
	tk.t.Helper()
	var all []*Stream
	for s := range tk.c.Streams {
		all = append(all, s)
	}
	for _, s := range all {
		out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200"), false)
		out, n := tk.c.AppendData(out, s, []byte(body), true, tk.now)
		if n != len(body) {
			tk.send(windowUpdate(0, 1<<20))
			tk.drain()
			tk.c.AppendData(out, s, []byte(body)[n:], true, tk.now)
		}
		tk.c.Release(s)
	}
	tk.c.AppendPending(nil)
}

// A harmless peer may repeat what it does without being taken for a flood.
func TestHarmlessPatterns(t *testing.T) {
	for _, all := range [][]pattern{patterns, readers, cancellers, latecomers} {
		for _, p := range all {
			t.Run(p.name, func(t *testing.T) {
				tk := server(t, Config{})
				for i := range p.times {
					p.once(tk, i)
					tk.now += p.pause
				}
			})
		}
	}
}

// A client also limits informational responses, and everything else that a server can send without end.
func TestClientFloods(t *testing.T) {
	for name, once := range map[string]func(tk *talk) string{
		"PING":          func(*talk) string { return frame(FramePing, 0, 0, "12345678") },
		"SETTINGS":      func(*talk) string { return settings() },
		"informational": func(tk *talk) string { return frame(FrameHeaders, FlagEndHeaders, 1, tk.block(":status: 103")) },
		"RST_STREAM":    func(*talk) string { return reset(1, ErrCodeCancel) },
		"unknown":       func(*talk) string { return frame(0xbe, 0, 1, "x") },
		"WINDOW_UPDATE": func(*talk) string { return windowUpdate(1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			tk := client(t, Config{})
			tk.ask(true)
			for range 1000 {
				tk.send(once(tk))
				for ev := tk.next(); ev != "nothing"; ev = tk.next() {
					if tk.c.core.err == errCalm {
						return
					}
				}
				tk.c.AppendPending(nil)
			}
			t.Fatal("goes on for 1,000 frames")
		})
	}
}

// A peer that asks for acknowledgements and never reads them ends the connection at some point, whatever its budget is.
func TestPendingIsBounded(t *testing.T) {
	tk := server(t, Config{Budget: 1 << 20, MaxPending: 1000})
	for range 100 {
		tk.send(frame(FramePing, 0, 0, "12345678"))
	}
	tk.want("error http2: asks for more answers than it takes (ENHANCE_YOUR_CALM, RFC 9113 §10.5)")
	if n := len(tk.c.AppendPending(nil)); n > 1100 {
		t.Fatalf("%d bytes pending", n)
	}
}
