package h1client_test

import (
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// echoResponses responds to each request with the same bytes until the connection ends.
func echoResponses(nc net.Conn, request int, says string) {
	buf, response := make([]byte, request), []byte(says)
	for {
		if _, err := io.ReadFull(nc, buf); err != nil {
			return
		}
		if _, err := nc.Write(response); err != nil {
			return
		}
	}
}

// An exchange with a small response does not allocate.
func TestAllocations(t *testing.T) {
	if bufpool.Poisoned {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	for _, says := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: a\r\n\r\nhello",
		chunkedHead + "5\r\nhello\r\n0\r\n\r\n",
	} {
		near, far := loopback(t)
		eng := engine(socket, nil)
		c, err := h1client.New(eng, near, nil, &h1client.Config{}, nil, func(*h1client.Conn) { _ = far.Close() })
		if err != nil {
			t.Fatal(err)
		}
		go echoResponses(far, len(getHead), says)
		head, body := []byte(getHead), make([]byte, 0, 512)
		var r http1.Response
		buf := make([]byte, 0, 512)
		n := testing.AllocsPerRun(200, func() {
			if !c.Fresh() || c.Begin("GET", head, nil, false, false) != nil {
				t.Fatal("the connection cannot be used")
			}
			if buf, err = c.Await(&r, buf, nil); err != nil || r.Status != 200 {
				t.Fatal(err)
			}
			if b, ok := c.Whole(body); !ok || string(b) != "hello" {
				t.Fatalf("the body is %q", b)
			}
			if _, reusable := c.Leave(); !reusable {
				t.Fatal("the connection cannot be reused")
			}
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
		c.Close()
		wiretest.Eventually(t, "the end", func() bool { return eng.Stats().Open == 0 })
	}
}

// BenchmarkExchange is a small GET on one connection, with a server that only responds.
func BenchmarkExchange(b *testing.B) {
	near, far := loopback(b)
	c, err := h1client.New(engine(socket, nil), near, nil, &h1client.Config{}, nil, func(*h1client.Conn) { _ = far.Close() })
	if err != nil {
		b.Fatal(err)
	}
	go echoResponses(far, len(getHead), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	var r http1.Response
	head, buf, body := []byte(getHead), make([]byte, 0, 512), make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		c.Fresh()
		_ = c.Begin("GET", head, nil, false, false)
		if buf, err = c.Await(&r, buf, nil); err != nil {
			b.Fatal(err)
		}
		c.Whole(body)
		c.Leave()
	}
	c.Close()
}
