package nethttp_test

import (
	"bufio"
	"bytes"
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

// exchanger returns a function that sends req and reads its response, without allocating.
func exchanger(t testing.TB, addr, req string) func() {
	p := dial(t, addr)
	p.say(req)
	answer := readAnswer(t, p)
	out := []byte(req)
	return func() {
		p.Write(out)
		if _, err := io.ReadFull(p.Conn, answer); err != nil {
			t.Fatal(err)
		}
	}
}

// readAnswer reads one response as it was sent. It must not be chunked.
func readAnswer(t testing.TB, p *peer) []byte {
	t.Helper()
	var wire bytes.Buffer
	res, err := http.ReadResponse(bufio.NewReader(io.TeeReader(p.Conn, &wire)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return wire.Bytes()
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	addr := serveOurs(t, &nethttp.Server{Handler: http.HandlerFunc(greet), ErrorLog: quiet()})
	exchange := exchanger(t, addr, browserGet)
	// Header().Set allocates two, each map two; the others are the exchange and a part of the text.
	if n := testing.AllocsPerRun(2000, exchange); n > 7 {
		t.Errorf("%v allocations for a request with eight fields and a response with two, want no more than 7", n)
	}
}
