package nethttp_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// browserGet is a request with eight fields, as a browser sends them, and Host.
const browserGet = "GET /path/to/page?id=1&name=two HTTP/1.1\r\n" +
	"Host: www.example.test\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n" +
	"Accept-Language: en-US,en;q=0.5\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
	"sec-fetch-mode: navigate\r\n" +
	"sec-fetch-site: same-origin\r\n" +
	"Cookie: session=0123456789abcdef\r\n" +
	"Upgrade-Insecure-Requests: 1\r\n\r\n"

var greeting = []byte("Hello, World!")

func greet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("X-Served-By", "here")
	w.Write(greeting)
}

// exchanger returns a function that sends req and reads its answer, without allocating.
func exchanger(t testing.TB, addr, req string) func() {
	p := dial(t, addr)
	p.say(req)
	head, err := p.in.Peek(1)
	for err == nil && p.in.Buffered() > len(head) {
		head, err = p.in.Peek(p.in.Buffered())
	}
	if err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, len(head))
	p.in.Discard(len(head))
	out := []byte(req)
	return func() {
		p.Write(out)
		if _, err := io.ReadFull(p.Conn, answer); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	addr := serveOurs(t, &nethttp.Server{Handler: http.HandlerFunc(greet), ErrorLog: quiet()})
	exchange := exchanger(t, addr, browserGet)
	// The two values that Header().Set makes, two for each map, the exchange, and a part of the text.
	if n := testing.AllocsPerRun(2000, exchange); n > 7 {
		t.Errorf("%v allocations for a request with eight fields and an answer with two, want no more than 7", n)
	}
}

func BenchmarkGet(b *testing.B) {
	addr := serveOurs(b, &nethttp.Server{Handler: http.HandlerFunc(greet), ErrorLog: quiet()})
	exchange := exchanger(b, addr, browserGet)
	b.ReportAllocs()
	for b.Loop() {
		exchange()
	}
}
