package nethttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Limits that http.Server has no field for apply as those of server.Config.
func TestLimitsOfTheNativeServer(t *testing.T) {
	reads := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	fields := func(n int) string { return "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", n-1) + "\r\n" }
	status := func(p *peer, want string) {
		t.Helper()
		if line, err := p.in.ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 "+want) || err != nil {
			t.Errorf("got %q, %v; want %s", line, err, want)
		}
	}
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: reads, ErrorLog: quiet(), MaxHeadFields: 300}))
	p.say(fields(300))
	status(p, "200 OK")
	p = dial(t, serveOurs(t, &nethttp.Server{Handler: reads, ErrorLog: quiet(), MaxHeadFields: 300}))
	p.say(fields(301))
	status(p, "431 ")

	p = dial(t, serveOurs(t, &nethttp.Server{Handler: reads, ErrorLog: quiet(), MinReadRate: 1 << 20, RateGrace: 20 * time.Millisecond}))
	p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nslow")
	status(p, "408 ")
}

// A response that begins after the handler has returned says that the connection closes, if the body was left unread in
// full duplex.
func TestAnAnswerAfterFullDuplexSaysClose(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	})
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()}))
	p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
	res, err := http.ReadResponse(p.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if res.StatusCode != 413 || !res.Close || string(b) != "too large\n" || err != nil {
		t.Errorf("%s, close %v: %q, %v", res.Status, res.Close, b, err)
	}
}
