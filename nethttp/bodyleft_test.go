package nethttp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// Close of a body that has not arrived returns at once, and the connection is reused when the body has arrived.
func TestCloseDoesNotWait(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.Body.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if n, err := r.Body.Read(make([]byte, 1)); r.Method == "POST" && (n != 0 || err != http.ErrBodyReadAfterClose) {
			t.Errorf("Read: %d, %v", n, err)
		}
		io.WriteString(w, "done")
	})
	s := server.NewServer(server.Config{Handler: nethttp.Handler(h), MinReadRate: -1})
	l := listen(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() { s.Close(); <-ended }()
	for _, c := range []struct{ fields, sent, rest string }{
		{"Content-Length: 5\r\n", "", "hello"},
		{"Content-Length: 5\r\n", "he", "llo"},
		{"Transfer-Encoding: chunked\r\n", "5\r\nhe", "llo\r\n0\r\n\r\n"},
		{"Connection: close\r\nContent-Length: 5\r\n", "", ""},
	} {
		p := dial(t, l.Addr().String())
		p.say("POST / HTTP/1.1\r\nHost: a\r\n" + c.fields + "\r\n" + c.sent)
		if got := p.answer("POST"); !strings.HasSuffix(got, "\ndone\n") {
			t.Errorf("%s: got\n%s", c.fields, got)
		}
		if c.rest == "" {
			if got := p.answer("GET"); got != "closed\n" {
				t.Errorf("%s: then\n%s", c.fields, got)
			}
			continue
		}
		p.say(c.rest + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := p.answer("GET"); !strings.HasSuffix(got, "\ndone\n") {
			t.Errorf("%s: the next response is\n%s", c.fields, got)
		}
	}
}

// Close reads the rest of a body for which trailers were announced.
func TestCloseReadsTrailers(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body.Close()
		fmt.Fprint(w, r.Trailer.Get("Sum"))
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nTrailer: Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nSum: 532\r\n\r\n")
		if got := p.answer("POST"); !strings.HasSuffix(got, "\n532\n") {
			t.Errorf("got\n%s", got)
		}
	})
}

// An upload of 10 GB that gets a 404 is read only as far as a lingering close needs. If the client of a chunked upload
// pauses, the response does not say that the connection closes, and then up to 16 MiB are read.
func TestRefusedUploadIsNotRead(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"not touched": http.NotFound,
		"closed":      func(w http.ResponseWriter, r *http.Request) { r.Body.Close(); http.NotFound(w, r) },
		"read a bit":  func(w http.ResponseWriter, r *http.Request) { r.Body.Read(make([]byte, 1)); http.NotFound(w, r) },
	} {
		for _, fields := range []string{"Content-Length: 10000000000", "Transfer-Encoding: chunked"} {
			t.Run(name+", "+fields, func(t *testing.T) {
				t.Parallel() // each waits half a second for a peer that does not stop
				refuseUpload(t, h, fields)
			})
		}
	}
}

// refuseUpload uploads to a server with h, which responds with 404, until the server stops reading.
func refuseUpload(t *testing.T, h http.Handler, fields string) {
	l := wiretest.Count(listen(t))
	s := &nethttp.Server{Handler: h, ErrorLog: quiet()}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() { s.Close(); <-ended }()
	p := dial(t, l.Addr().String())
	p.say("POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n")
	sending := make(chan bool)
	go func() {
		defer close(sending)
		piece := strings.Repeat("x", 64<<10)
		if strings.HasSuffix(fields, "chunked") {
			piece = "10000\r\n" + piece + "\r\n"
		}
		for {
			if _, err := io.WriteString(p, piece); err != nil {
				return
			}
		}
	}()
	got := p.answer("POST")
	if !strings.HasPrefix(got, "HTTP/1.1 404 ") || !strings.HasSuffix(got, "\n404 page not found\n\n") {
		t.Errorf("got\n%s", got)
	}
	<-sending
	most := int64(600 << 10)
	if strings.HasSuffix(fields, "chunked") && !strings.Contains(got, "(closes)") {
		most += 16 << 20
	}
	if n := l.Conns()[0].BytesIn(); n > most {
		t.Errorf("%d bytes were read, want %d or less", n, most)
	}
}
