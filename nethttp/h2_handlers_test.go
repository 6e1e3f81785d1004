package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// serveH2 serves h, and returns a client that speaks HTTP/2 alone.
func serveH2(t *testing.T, h http.HandlerFunc) (url string, tr *http.Transport) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{Handler: h, ErrorLog: quiet()}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	tr = &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		s.Close()
		<-ended
	})
	return "http://" + l.Addr().String(), tr
}

// Faults of a handler that would close a connection of HTTP/1.1 leave a connection of HTTP/2 usable.
func TestH2StreamsOfBadHandlers(t *testing.T) {
	reading := make(chan bool)
	url, tr := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-From", r.RemoteAddr)
		switch r.URL.Path {
		case "/overrun":
			w.Header().Set("Content-Length", "3")
			io.WriteString(w, "foo")
			if _, err := io.WriteString(w, "bar"); err != http.ErrContentLength {
				t.Error(err)
			}
		case "/readfrom":
			w.Header().Set("Content-Length", "3")
			io.Copy(w, strings.NewReader("foobar"))
		case "/reads-on":
			go func() {
				close(reading)
				io.Copy(io.Discard, r.Body)
			}()
			<-reading
		}
	})
	from := ""
	for _, path := range []string{"/", "/overrun", "/readfrom", "/reads-on", "/"} {
		var body io.Reader
		if path == "/reads-on" {
			in, out := io.Pipe()
			defer out.Close()
			body = in
		}
		req, _ := http.NewRequest("POST", url+path, body)
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if path == "/overrun" && (string(b) != "foo" || err != nil) {
			t.Errorf("%s: %q, %v", path, b, err)
		}
		if now := res.Header.Get("X-From"); from != "" && now != from {
			t.Errorf("%s came on another connection", path)
		} else {
			from = now
		}
	}
}

// Transfer-Encoding set by a handler has no effect over HTTP/2, which has no transfer codings.
func TestH2TransferEncoding(t *testing.T) {
	url, tr := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"Transfer-Encoding": r.URL.Query().Get("coding"), "Content-Length": r.URL.Query().Get("length")} {
			if value != "" {
				w.Header().Set(name, value)
			}
		}
		io.WriteString(w, "<html>")
	})
	for _, query := range []string{"", "?coding=chunked", "?coding=identity", "?coding=gzip", "?length=x"} {
		req, _ := http.NewRequest("GET", url+"/"+query, nil)
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if string(b) != "<html>" || res.ContentLength != 6 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %q, length %d, %v", query, b, res.ContentLength, res.Header)
		}
	}
}

// A Hijack that is refused does not disturb another goroutine that reads the body.
func TestH2HijackBesideARead(t *testing.T) {
	url, tr := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
		var first [2]byte
		io.ReadFull(r.Body, first[:])
		rest := make(chan string)
		go func() {
			b, err := io.ReadAll(r.Body)
			rest <- fmt.Sprintf("%s, %v", b, err)
		}()
		http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(http.StatusOK)
		// The reading goroutine may not be in Read at the first Hijack yet.
		for range 100 {
			if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrNotSupported) {
				t.Error(err)
			}
			runtime.Gosched()
		}
		http.NewResponseController(w).Flush()
		io.WriteString(w, <-rest)
	})
	in, out := io.Pipe()
	go out.Write([]byte("hi"))
	req, _ := http.NewRequest("POST", url, in)
	res, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out.Write([]byte("there"))
	out.Close()
	if b, err := io.ReadAll(res.Body); string(b) != "there, <nil>" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
}
