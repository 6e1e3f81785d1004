package server

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A client that announces a body which it never sends, and which the handler does not read, still gets its response; a
// connection that can be reused is reused when the body has arrived.
func TestAnswersDoNotWaitForBodies(t *testing.T) {
	was := drainBounds
	drainBounds.Wait, drainBounds.Time = time.Hour, time.Hour
	t.Cleanup(func() { drainBounds = was })
	handler := HandlerFunc(func(w *ResponseWriter, r *Request) {
		switch string(r.Path()) {
		case "/close":
			w.Header().Add("Connection", "close")
		case "/after":
			w.CloseAfter()
		}
		w.WriteString("begun ")
		if string(r.Query()) == "stream" {
			w.Flush()
		}
		w.WriteString("done")
	})
	serve := func(cfg Config) (addr string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Handler, cfg.MinReadRate = handler, -1
		s := NewServer(cfg)
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(l) }()
		t.Cleanup(func() { s.Close(); <-ended })
		return l.Addr().String()
	}
	kept, single := serve(Config{}), serve(Config{DisableKeepAlive: true})
	for _, c := range []struct{ addr, path, fields, body string }{
		{kept, "/", "Connection: close\r\nContent-Length: 5\r\n", ""},
		{kept, "/?stream", "Connection: close\r\nContent-Length: 5\r\n", "he"},
		{kept, "/?stream", "Connection: close\r\nTransfer-Encoding: chunked\r\n", "5\r\nhe"},
		{kept, "/close", "Content-Length: 5\r\n", ""},
		{kept, "/close?stream", "Content-Length: 5\r\n", ""},
		{kept, "/after?stream", "Content-Length: 5\r\n", ""},
		{single, "/?stream", "Content-Length: 5\r\n", ""},
		{kept, "/", "Content-Length: 5\r\n", "lo"},
		{kept, "/", "Content-Length: 5\r\n", "hello"},
		{kept, "/", "Transfer-Encoding: chunked\r\n", "5\r\nhel"},
	} {
		nc, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		k := wiretest.NewTalk(t, nc)
		k.Send("POST " + c.path + " HTTP/1.1\r\nHost: h\r\n" + c.fields + "\r\n" + c.body)
		k.WantUntil("begun ")
		k.WantUntil("done")
		if strings.Contains(c.path, "stream") {
			k.WantUntil("\r\n0\r\n\r\n")
		}
		if c.addr == single || c.path != "/" || strings.HasPrefix(c.fields, "Connection") {
			k.WantEOF()
		} else {
			rest := "hello"
			if strings.HasPrefix(c.fields, "T") {
				rest = "5\r\nhello\r\n0\r\n\r\n"
			}
			k.Send(rest[len(c.body):] + "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			k.WantUntil("begun done")
		}
		nc.Close()
	}
}

// If a chunked body pauses, the response is sent before the body's length is known and does not say that the connection
// closes, so a request after a long body gets its response as well.
func TestLongBodyBehindTheAnswer(t *testing.T) {
	was := drainBounds
	drainBounds.Wait, drainBounds.Time = time.Hour, time.Hour
	t.Cleanup(func() { drainBounds = was })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(Config{Handler: HandlerFunc(func(w *ResponseWriter, r *Request) { w.WriteString("ok") }), MinReadRate: -1})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-ended })

	for _, size := range []int{300_000, promisedBounds.Bytes / 2} {
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		k := wiretest.NewTalk(t, nc)
		k.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na")
		k.WantUntil("\r\n\r\nok")
		k.Send(fmt.Sprintf("\r\n%x\r\n%s\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", size, strings.Repeat("a", size)))
		k.WantUntil("\r\n\r\nok")
		nc.Close()
	}
}
