package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// left returns what m still holds of its last message.
func (m *h1Message) left() string {
	w, r := &m.res, &m.req
	return fmt.Sprint(w.phase, w.status, w.plan, m.framing, w.count, w.setLength, len(w.buf), len(m.out), w.err,
		w.closeAfter, w.sniffer, w.duplex, w.header.Len(), w.trailer.Len(), "|", len(r.Method()), r.Header().Len(), r.body.Buffered(), r.body.Streamed(),
		r.body.Err(), r.body.Limit(), "|", m.onGone)
}

// A message finds nothing of the one before it.
func TestAnExchangeForgets(t *testing.T) {
	s := NewServer(Config{})
	fresh := newH1Message(s.shared)
	m := s.h1.lend(&h1Conn{srv: &s.h1}, nil)
	for name, forget := range map[string]func(){"the next message": m.reset, "the pool": func() { s.h1.giveBack(m) }} {
		keeper := new(countingKeeper)
		m.onGone = netconn.GoneCall{Keeper: keeper, Number: 5}
		m.burden(t)
		forget()
		if got, want := m.left(), fresh.left(); got != want {
			t.Errorf("%s: what is left\n     %s\nwant %s", name, got, want)
		}
		if len(keeper.forgotten) != 1 || keeper.forgotten[0] != 5 {
			t.Errorf("%s: the wishes of OnGone that were taken back are %d, want 5", name, keeper.forgotten)
		}
	}
	s.h1.giveBack(m)
	if m.conn != nil || m.Conn != nil || m.connValue != nil {
		t.Error("an exchange in the pool holds a connection")
	}
}

// countingKeeper records what was taken back.
type countingKeeper struct{ forgotten []uint64 }

func (k *countingKeeper) ForgetGone(number uint64) bool {
	k.forgotten = append(k.forgotten, number)
	return true
}

// burden fills m with a message and a response.
func (m *h1Message) burden(t *testing.T) {
	t.Helper()
	if n, err := m.head.Parse([]byte("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n")); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	m.setRequest()
	m.req.SetMaxBody(5)
	m.req.body.StartWhole([]byte("abc"))
	m.req.body.Fail(io.ErrNoProgress)
	w := &m.res
	w.SetStatus(404)
	w.SetContentLength(8)
	w.CloseAfter()
	w.header.Add("A", "b")
	w.trailer.Add("C", "d")
	w.phase, w.plan, w.count, w.duplex, w.sniffer = hijacked, bodyplan.Plan{Body: bodyplan.OfLength, Length: 9}, bodyCount{9, 9}, true, typeSniffer{true, "x"}
	w.buf, w.err = append(w.buf, "body"...), errors.New("broken")
	m.out, m.framing = append(m.out, "head"...), bodyplan.Framing{Body: http1.ByLength, Close: true, Tunnel: true}
}

// A client that did not ask for 100 Continue gets none because an earlier one had.
func TestAnExpectationIsOfOneMessage(t *testing.T) {
	s := NewServer(Config{})
	for _, before := range []uint32{expected, continued, notContinued} {
		for request, want := range map[string]uint32{
			"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n":                         notExpected,
			"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n": expected,
			"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n":          notExpected,
		} {
			m := s.h1.lend(&h1Conn{srv: &s.h1}, nil)
			if n, err := m.head.Parse([]byte(request)); n == 0 || err != nil {
				t.Fatal(n, err)
			}
			m.req.body.expect.Store(before)
			m.startStream()
			if got := m.req.body.expect.Load(); got != want {
				t.Errorf("after %d, %q: %d, want %d", before, request, got, want)
			}
		}
	}
}

// No 100 Continue is sent for a body that has already arrived, whatever the expectation before it was.
func TestABodyThatIsHereIsNotAskedFor(t *testing.T) {
	s := NewServer(Config{})
	m := s.h1.lend(&h1Conn{srv: &s.h1}, nil) // there is no connection left for a request
	m.req.body.expect.Store(expected)
	m.req.body.StartWhole([]byte("abc"))
	if body, err := m.req.Body(); string(body) != "abc" || err != nil {
		t.Errorf("Body: %q, %v", body, err)
	}
}

// A connection that has ended holds no exchange, however it ended.
func TestAConnectionThatHasEndedHoldsNoExchange(t *testing.T) {
	conns := make(chan *h1Conn, 1)
	s := NewServer(Config{Handler: HandlerFunc(func(w *ResponseWriter, r *Request) {
		conns <- w.x.sink.(*h1Message).conn
		switch string(r.Path()) {
		case "/abort":
			w.SetContentLength(5) // and not a byte
		}
	})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	var served []*h1Conn
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HT", // another begins
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: h\r\n\r\nBAD\r\n\r\n",
		"GET /abort HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(nc, request)
		served = append(served, <-conns)
		nc.(*net.TCPConn).CloseWrite()
		nc.SetReadDeadline(time.Now().Add(time.Minute))
		io.Copy(io.Discard, nc)
		nc.Close()
	}
	s.Close()
	if err := <-ended; err != ErrServerClosed {
		t.Error(err)
	}
	for end := time.Now().Add(time.Minute); s.Stats().OpenConnections > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	for i, k := range served {
		if k.message != nil {
			t.Errorf("connection %d holds an exchange", i)
		}
	}
}

// A request is served in place if all of it has arrived and its handler has no reason to hijack the connection.
func TestWhatIsAnsweredFromMemory(t *testing.T) {
	s := NewServer(Config{})
	for request, want := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n":                                                       true,
		"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HT":                                               true,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc":                              true,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab":                               false,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc":      true,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: miracles\r\n\r\nabc":          false,
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":               false,
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n":                  false,
		"CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n":                                               false,
		"POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0": true,
	} {
		m := s.h1.lend(&h1Conn{srv: &s.h1}, nil)
		n, err := m.head.Parse([]byte(request))
		if n == 0 || err != nil {
			t.Fatal(n, err)
		}
		m.at.head = n
		if got := m.wholeIn([]byte(request)); got != want {
			t.Errorf("%q: %v, want %v", request, got, want)
		}
	}
}

// Deadlines that a handler has set are cleared by the next request, and only by that one.
func TestDeadlinesAreTakenAwayOnce(t *testing.T) {
	type set struct{ read, write bool }
	sets := make(chan set, 3)
	s := NewServer(Config{Handler: HandlerFunc(func(w *ResponseWriter, r *Request) {
		k := w.x.sink.(*h1Message).conn
		sets <- set{k.readDeadline.Load(), k.writeDeadline.Load()}
		if string(r.Path()) == "/set" {
			w.SetReadDeadline(time.Now().Add(time.Hour))
			w.SetWriteDeadline(time.Now().Add(time.Hour))
			sets <- set{k.readDeadline.Load(), k.writeDeadline.Load()}
		}
	})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const rest = " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	io.WriteString(nc, "POST /set"+rest+"POST /"+rest)
	for _, want := range []set{{false, false}, {true, true}, {false, false}} {
		if got := <-sets; got != want {
			t.Errorf("deadlines set: %+v, want %+v", got, want)
		}
	}
	nc.Close()
	s.Close()
	<-ended
}

// A small buffer is kept for the next request.
func TestScratchIsKept(t *testing.T) {
	for size, kept := range map[int]bool{1: true, keptScratch: true, keptScratch + 1: false} {
		b := make([]byte, size)
		if trim(&b); (cap(b) == size) != kept || len(b) != 0 {
			t.Errorf("of %d bytes %d are kept, %d of them full", size, cap(b), len(b))
		}
	}
}

// An exchange that returns to the pool keeps none of its buffers that have grown large.
func TestLargeScratchIsLetGo(t *testing.T) {
	large := func() []byte { return make([]byte, 1, keptScratch+1) }
	var x exchange
	x.decoder.Decode(append(bytes.Repeat([]byte("a"), keptScratch), "%41"...), false)
	x.req.body.buf, x.res.buf = large(), large()
	x.trim()
	if a, b, c := x.decoder.Size(), cap(x.req.body.buf), cap(x.res.buf); a+b+c > 0 {
		t.Errorf("%d, %d and %d bytes are kept", a, b, c)
	}
}
