package http2

import (
	"encoding/binary"
	"testing"
	"unsafe"
)

// hundred is a server, and a client's bytes for 100 requests at a time.
type hundred struct {
	c    *Conn
	enc  talk
	last uint32
	in   []byte
	out  []byte
	now  int64
}

func newHundred() *hundred {
	h := &hundred{c: NewServer(&Config{}, 0)}
	h.feed([]byte(Preface + settings() + frame(FrameSettings, FlagAck, 0, "")))
	return h
}

// again returns the same 100 requests with the next identifiers.
func (h *hundred) again() {
	for b := h.in; len(b) > 0; {
		h.last += 2
		binary.BigEndian.PutUint32(b[5:], h.last-1)
		b = b[FrameHeaderLen+ParseFrameHeader(b).Length:]
	}
}

// requests encodes 100 requests like a browser's, with fields that are in the tables.
func (h *hundred) requests() {
	h.in = h.in[:0]
	for range 100 {
		h.last += 2
		id := h.last - 1
		start := len(h.in)
		h.in = FrameHeader{Type: FrameHeaders, Flags: FlagEndHeaders | FlagEndStream, Stream: id}.Append(h.in)
		h.in = h.enc.enc.AppendBlock(h.in, browserGet)
		n := len(h.in) - start - FrameHeaderLen
		h.in[start+1], h.in[start+2] = byte(n>>8), byte(n)
	}
}

var (
	browserGet = fieldsOf(":method: GET", ":scheme: https", ":authority: www.example.com", ":path: /index.html", "user-agent: Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/130.0",
		"accept: text/html,application/xhtml+xml", "accept-language: en-US,en;q=0.5", "accept-encoding: gzip, deflate, br")
	body      = []byte("Hello, World!")
	ctName    = []byte("content-type")
	ctValue   = []byte("text/plain")
	lenName   = []byte("content-length")
	lenValue  = []byte("13")
	dateName  = []byte("date")
	dateValue = []byte("Sun, 06 Nov 1994 08:49:37 GMT")
)

// feed feeds bytes to the server and responds to every request.
func (h *hundred) feed(in []byte) (responses int) {
	h.out = h.out[:0]
	for {
		ev, n, err := h.c.Next(in, h.now)
		if err != nil {
			panic(err)
		}
		in = in[n:]
		if ev.Kind == EventNone {
			h.out = h.c.AppendPending(h.out)
			return responses
		}
		if ev.Kind == EventHeaders {
			h.respond(ev.Stream)
			responses++
		}
	}
}

func (h *hundred) respond(s *Stream) {
	out := h.c.BeginHeaders(h.out, s)
	out = h.c.AppendStatus(out, 200)
	out = h.c.AppendFieldBytes(out, ctName, ctValue)
	out = h.c.AppendFieldBytes(out, lenName, lenValue)
	out = h.c.AppendFieldBytes(out, dateName, dateValue)
	out = h.c.EndHeaders(out, false)
	out, _ = h.c.AppendData(out, s, body, true, h.now)
	h.out = out
	h.c.Release(s)
	h.c.core.send.left = defaultWindow
}

// In the steady state requests and responses allocate nothing.
func TestNoAllocations(t *testing.T) {
	h := newHundred()
	round := func() {
		h.requests()
		if h.feed(h.in) != 100 {
			t.Fatal("not all requests got a response")
		}
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(50, round); n != 0 {
		t.Errorf("100 requests allocate %v times", n)
	}
}

// The first streams cost one allocation each, later ones none.
func TestStreamAllocations(t *testing.T) {
	tk := server(t, Config{})
	tk.c.use()
	id := uint32(1)
	for range 20 {
		tk.c.core.openStream(id)
		id += 2
	}
	n := testing.AllocsPerRun(10, func() {
		tk.c.core.openStream(id)
		id += 2
	})
	if n > 1.5 { // now and then the table grows
		t.Errorf("a new stream allocates %v times", n)
	}
}

// The sizes of a Conn and of a Stream stay within their bounds.
func TestIdleConnIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Conn{}); n > 560 {
		t.Errorf("Conn is %d bytes", n)
	}
	if n := unsafe.Sizeof(Stream{}); n > 160 {
		t.Errorf("Stream is %d bytes", n)
	}
}

func BenchmarkHundredGets(b *testing.B) {
	h := newHundred()
	for range 10 {
		h.requests()
		h.feed(h.in)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.again()
		h.feed(h.in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/request")
}

func BenchmarkNewStream(b *testing.B) {
	c := NewServer(&Config{}, 0)
	c.AppendPending(nil)
	c.use()
	id := uint32(1)
	b.ReportAllocs()
	for b.Loop() {
		s := c.core.openStream(id)
		c.core.streams.enter(s, phaseReceived)
		if streamOf(c, id) != s {
			b.Fatal("not found")
		}
		c.core.endOutbound(s)
		c.Release(s)
		id += 2
	}
}

func BenchmarkDataIn(b *testing.B) {
	c := NewServer(&Config{}, 0)
	tk := &talk{c: c}
	c.Next([]byte(Preface+settings()), 0)
	ev, _, _ := c.Next([]byte(tk.post(1)), 0)
	s := ev.Stream
	in := []byte(data(1, 0, string(make([]byte, minFrameSize))))
	out := make([]byte, 0, 1000)
	b.SetBytes(minFrameSize)
	b.ReportAllocs()
	for b.Loop() {
		for rest := in; len(rest) > 0; {
			ev, n, err := c.Next(rest, 0)
			if err != nil {
				b.Fatal(err)
			}
			rest = rest[n:]
			if ev.Kind == EventData {
				c.Consumed(s, len(ev.Data), 0)
			}
		}
		out = c.AppendPending(out[:0])
	}
}
