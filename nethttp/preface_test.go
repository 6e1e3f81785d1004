package nethttp_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

const h2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// TestPrefaceReachesHandlers: a handler that speaks HTTP/2 finds the request that net/http would show it, and the rest
// of the preface on the connection.
func TestPrefaceReachesHandlers(t *testing.T) {
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			c, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			rest := make([]byte, len("SM\r\n\r\n"))
			_, err = io.ReadFull(rw, rest)
			fmt.Fprintf(c, "%s %s %s, %s %d.%d, %d fields, %d bytes, %v, %q %v", r.Method, r.RequestURI, r.URL.Path,
				r.Proto, r.ProtoMajor, r.ProtoMinor, len(r.Header), r.ContentLength, r.Close, rest, err)
		})})
	p := dial(t, addr)
	p.say(h2Preface)
	got, err := io.ReadAll(p.in)
	want := `PRI * *, HTTP/2.0 2.0, 0 fields, -1 bytes, true, "SM\r\n\r\n" <nil>`
	if string(got) != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestPrefaceThatNobodyTakes: what follows it is not read as a request.
func TestPrefaceThatNobodyTakes(t *testing.T) {
	p := dial(t, serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: says("hello")}))
	p.say(h2Preface + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	want := "HTTP/1.1 200 OK\n(closes)\nContent-Length: 5\nContent-Type: text/plain; charset=utf-8\n\nhello\n"
	if got := p.answer("PRI"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := p.answer("GET"); got != "closed\n" {
		t.Errorf("behind it:\n%s", got)
	}
}
