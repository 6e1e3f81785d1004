package nethttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// TestAnnouncedFraming: a Trailer field that announces a field of framing is refused behind every server, and the
// connection ends.
func TestAnnouncedFraming(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Error("it reached the handler") })
	l := listen(t)
	native := server.NewServer(server.Config{Handler: nethttp.Handler(h)})
	go native.Serve(l)
	t.Cleanup(func() { native.Close() })
	for _, addr := range []string{serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()}), l.Addr().String()} {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\n\r\n")
		if got := p.answer("POST"); !strings.HasPrefix(got, "HTTP/1.1 400 Bad Request\n(closes)\n") {
			t.Errorf("it is answered with\n%s", got)
		}
		if got := p.answer("GET"); got != "closed\n" {
			t.Errorf("behind it:\n%s", got)
		}
	}
}

// TestOddHeads: heads that some clients send and net/http takes reach the handler; a native server refuses them.
func TestOddHeads(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Saw", fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Host, " ", r.URL))
		w.WriteHeader(http.StatusForbidden) // a CONNECT that is answered with 200 is a tunnel
	})
	ours := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	l := listen(t)
	native := server.NewServer(server.Config{Handler: nethttp.Handler(h)})
	go native.Serve(l)
	t.Cleanup(func() { native.Close() })
	for _, tc := range []struct{ head, saw string }{
		{"M-SEARCH * HTTP/1.1\r\nHost: a", "M-SEARCH * a *"},
		{"CONNECT a:80 HTTP/1.1", "CONNECT a:80 a:80 //a:80"},
		{"GET / HTTP/1.1\r\nHost: ::1", "GET / ::1 /"},
		{"GET / HTTP/1.1\r\nHost: [fe80::1%25en0]:80", "GET / [fe80::1%25en0]:80 /"},
	} {
		p := dial(t, ours)
		p.say(tc.head + "\r\n\r\n")
		if got := p.answer("GET"); !strings.Contains(got, "Saw: "+tc.saw+"\n") {
			t.Errorf("%q: want %q\n%s", tc.head, tc.saw, got)
		}
		p = dial(t, l.Addr().String())
		p.say(tc.head + "\r\n\r\n")
		if got := p.answer("GET"); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
			t.Errorf("%q: the native server answers\n%s", tc.head, got)
		}
	}
}
