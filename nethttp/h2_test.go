package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/nethttp"
	"golang.org/x/net/http2"
)

// Trailers of a request arrive whether or not its length is known.
func TestH2RequestTrailers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %d %v %s", r.Proto, b, r.ContentLength, err, r.Trailer.Get("X-Sum"))
	})}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() { s.Close(); <-ended }()
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: p}
	defer tr.CloseIdleConnections()
	for _, length := range []int64{-1, 5} {
		req, _ := http.NewRequest("POST", "http://"+l.Addr().String(), io.NopCloser(strings.NewReader("hello")))
		req.ContentLength = length
		req.Trailer = http.Header{"X-Sum": {"5"}}
		res, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if want := fmt.Sprintf("HTTP/2.0 hello %d <nil> 5", length); string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// h2Client is an HTTP/2 client written by hand.
type h2Client struct {
	*h2talk.Talk
	t  *testing.T
	id uint32

	gone bool // GOAWAY has arrived
}

// h2Serve serves with s, and dials it.
func h2Serve(t *testing.T, s *nethttp.Server) *h2Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-ended })
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	return h2Over(t, nc)
}

// h2Over begins a conversation over nc, with all that a client says first in one piece.
func h2Over(t *testing.T, nc net.Conn, settings ...http2.Setting) *h2Client {
	k := &h2Client{Talk: h2talk.New(t, nc), t: t, id: 1}
	nc.Write(append([]byte(http2.ClientPreface), k.Held(func() { k.Framer.WriteSettings(settings...) })...))
	return k
}

// request sends a head, and returns its stream.
func (k *h2Client) request(method, path string, end bool, more ...string) uint32 {
	k.Headers(k.id, end, append([]string{":method", method, ":scheme", "http", ":authority", "h", ":path", path}, more...)...)
	k.id += 2
	return k.id - 2
}

// until reads frames until one that f wants.
func (k *h2Client) until(what string, f func(http2.Frame) bool) {
	k.t.Helper()
	for {
		got, err := k.Framer.ReadFrame()
		if err != nil {
			k.t.Fatalf("no %s: %v", what, err)
		}
		k.gone = k.gone || got.Header().Type == http2.FrameGoAway
		if f(got) {
			return
		}
	}
}

// over returns a function that reports whether a frame is the last of a stream.
func over(id uint32) func(http2.Frame) bool {
	return func(f http2.Frame) bool {
		end, ok := f.(interface{ StreamEnded() bool })
		return f.Header().StreamID == id && (ok && end.StreamEnded() || f.Header().Type == http2.FrameRSTStream)
	}
}

// What ends a connection of HTTP/1.1 ends only its stream over HTTP/2.
func TestH2ConnectionStays(t *testing.T) {
	read := make(chan error, 1)
	s := &nethttp.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/overrun":
			w.Header().Set("Content-Length", "3")
			if _, err := io.WriteString(w, "hello"); err != http.ErrContentLength {
				t.Errorf("a write beyond the length: %v", err)
			}
		case "/elsewhere": // somebody else reads the body
			body := r.Body
			go func() {
				_, err := body.Read(make([]byte, 10))
				read <- err
			}()
			for !nethttp.BodyIsBeingRead(w) {
				runtime.Gosched()
			}
		case "/panic":
			panic(http.ErrAbortHandler)
		}
	})}
	k := h2Serve(t, s)
	for what, id := range map[string]func() uint32{
		"a body longer than its length":       func() uint32 { return k.request("GET", "/overrun", true) },
		"a bad request":                       func() uint32 { return k.request("POST", "/", false, "trailer", "content-length") },
		"a body that another goroutine reads": func() uint32 { return k.request("POST", "/elsewhere", false) },
		"a panic":                             func() uint32 { return k.request("POST", "/panic", false) },
		"a body that nobody reads":            func() uint32 { return k.request("POST", "/", false) },
		"an ordinary request":                 func() uint32 { return k.request("GET", "/", true) },
	} {
		k.until("end of a stream", over(id()))
		k.Framer.WritePing(false, [8]byte{1})
		k.until("answer to a ping", func(f http2.Frame) bool { return f.Header().Type == http2.FramePing })
		if k.gone {
			t.Fatalf("after %s the connection accepts no more requests", what)
		}
	}
	if err := <-read; err == nil {
		t.Error("a read of a body that is over went well")
	}
}

// A silent client gets a PING after SendPingTimeout, and is disconnected after PingTimeout.
func TestH2Pings(t *testing.T) {
	for _, answers := range []bool{true, false} {
		wait := 30 * time.Millisecond
		if answers {
			wait = patience // a response may take any time
		}
		k := h2Serve(t, &nethttp.Server{
			Handler: http.NotFoundHandler(),
			HTTP2:   &http.HTTP2Config{SendPingTimeout: 20 * time.Millisecond, PingTimeout: wait},
		})
		pings, gone := 0, false
		k.until("GOAWAY, or a third PING", func(f http2.Frame) bool {
			if f, ok := f.(*http2.PingFrame); ok && !f.IsAck() {
				if pings++; answers {
					k.Framer.WritePing(true, f.Data)
				}
			}
			gone = f.Header().Type == http2.FrameGoAway
			return gone || pings == 3
		})
		if want := map[bool]int{true: 3, false: 1}[answers]; gone == answers || pings != want {
			t.Errorf("%d pings came, the end: %v", pings, gone)
		}
	}
}

// Over HTTP/2 the ResponseWriter is no Hijacker, so a handler that would hijack can stream instead. A CONNECT is served
// in the same way.
func TestNoHijackerOverHTTP2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, tr := serveH2(t, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(http.Hijacker); ok {
			t.Error("the ResponseWriter is a Hijacker")
		}
		if nc, rw, err := http.NewResponseController(w).Hijack(); nc != nil || rw != nil || !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("got %v, %v, %v", nc, rw, err)
		}
		f, err := os.Open(file)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		w.(io.ReaderFrom).ReadFrom(f)
	})
	for _, method := range []string{"POST", "CONNECT"} {
		req := getRequest(t, url)
		req.Method = method
		if _, body := roundTrip(t, tr, req); body != "from a file" {
			t.Errorf("%s: got %q", method, body)
		}
	}
}
