package http3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http3"
)

var _ http.RoundTripper = (*http3.Transport)(nil)

// The Transport carries requests and responses of the usual kinds.
func TestTransport(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		resp, body := r.do("GET", "/", nil)
		if body != "GET HTTP/3.0" || resp.Proto != "HTTP/3.0" || resp.ProtoMajor != 3 || resp.Status != "200 OK" || resp.TLS == nil || resp.TLS.NegotiatedProtocol != "h3" {
			t.Errorf("got %q, %+v; want 200 over HTTP/3, and its TLS state", body, resp)
		}
		_, body = r.do("PUT", "/fields?q=1", strings.NewReader("abc"), func(q *http.Request) {
			q.Header["x-a"] = []string{" 1 ", "2"}
			q.Header.Set("Cookie", "a=b; c=d")
			q.Header.Set("Te", "trailers, gzip")
			q.Header.Set("Connection", "keep-alive")
			q.Header.Set("User-Agent", "test")
			q.Host = "a.test"
		})
		if body != `PUT a.test /fields?q=1 3 "a=b; c=d" ["1" "2"] "trailers" "test"` {
			t.Error(body)
		}
		if _, body = r.do("POST", "/fields", nil); !strings.HasPrefix(body, "POST "+r.addr+" /fields 0 ") || !strings.HasSuffix(body, `"Go-http-client/2.0"`) {
			t.Error(body)
		}
		if _, body = r.do("POST", "/fields", content(3)); !strings.Contains(body, " /fields -1 ") {
			t.Errorf(`got %q, want " /fields -1 " in it`, body)
		}
		resp, _ = r.do("HEAD", "/length", nil)
		if resp.ContentLength != 5 {
			t.Errorf("got %+v, want ContentLength 5", resp)
		}
		if resp, body = r.do("GET", "/length", nil); resp.ContentLength != 5 || body != "12345" {
			t.Errorf(`got %q, %+v; want ContentLength 5, "12345"`, body, resp)
		}
		for _, status := range []int{204, 304} {
			if resp, body = r.do("GET", fmt.Sprintf("/%d", status), nil); resp.StatusCode != status || body != "" || resp.ContentLength != 0 {
				t.Errorf(`got %q, %+v; want StatusCode %v, "", ContentLength 0`, body, resp, status)
			}
		}
	})
}

// Long bodies arrive complete in both directions.
func TestTransportBodies(t *testing.T) {
	const size = 10 << 20
	h := sha256.New()
	io.Copy(h, content(size))
	sum := fmt.Sprintf("%x", h.Sum(nil))
	forBoth(t, func(r *clientRig) {
		wantSum := fmt.Sprintf("%d %s <nil>", size, sum)
		if _, body := r.do("POST", "/sum", content(size)); body != wantSum {
			t.Errorf("got %v, want %v", body, wantSum)
		}
		if _, body := r.do("POST", "/sum", content(size), func(q *http.Request) { q.ContentLength = size }); body != wantSum {
			t.Errorf("got %v, want %v", body, wantSum)
		}
		resp, body := r.do("GET", "/big", nil)
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(body))); got != sum || resp.Trailer.Get("Sum") != sum {
			t.Errorf("got %d bytes, %v", len(body), resp.Trailer)
		}
		if _, body := r.do("POST", "/echo", content(size)); fmt.Sprintf("%x", sha256.Sum256([]byte(body))) != sum {
			t.Errorf("got %d bytes", len(body))
		}
	})
}

// Trailers work in both directions.
func TestTransportTrailers(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		trailer := http.Header{"X": nil}
		resp, body := r.do("POST", "/trailers", readerFunc(func() { trailer.Set("X", "y") }), func(q *http.Request) { q.Trailer = trailer })
		if body != "abc y <nil>" || resp.Trailer.Get("T") != "v" || resp.Trailer.Get("Late") != "w" || resp.Header.Get("Trailer") != "" {
			t.Errorf(`got %q, %v; want "abc y <nil>" and two trailers`, body, resp.Trailer)
		}
	})
}

// readerFunc reads "abc", and calls f at the end.
func readerFunc(f func()) io.Reader { return io.MultiReader(strings.NewReader("abc"), atEnd(f)) }

type atEnd func()

func (f atEnd) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// Informational responses reach the client trace, with its other events.
func TestTransportInterim(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		var said []string
		var mu sync.Mutex
		say := func(s string) {
			mu.Lock()
			said = append(said, s)
			mu.Unlock()
		}
		trace := &httptrace.ClientTrace{
			GetConn: func(addr string) { say("get " + addr) },
			GotConn: func(i httptrace.GotConnInfo) { say(fmt.Sprint("got ", i.Conn.RemoteAddr(), i.Reused)) },
			Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
				say(fmt.Sprint(code, h.Get("Link")))
				return nil
			},
			WroteHeaders:         func() { say("head") },
			WroteRequest:         func(i httptrace.WroteRequestInfo) { say(fmt.Sprint("sent ", i.Err)) },
			GotFirstResponseByte: func() { say("first") },
		}
		r.do("GET", "/hints", nil, func(q *http.Request) { *q = *q.WithContext(httptrace.WithClientTrace(q.Context(), trace)) })
		want := fmt.Sprintf("[get %s got %s false head sent <nil> first 103</s.css> 103</s.css>]", r.addr, r.addr)
		if got := fmt.Sprint(said); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		stop := errors.New("stop")
		trace = &httptrace.ClientTrace{Got1xxResponse: func(int, textproto.MIMEHeader) error { return stop }}
		req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "GET", r.url+"/hints", nil)
		if err := r.fails(req); err != stop {
			t.Errorf("got %v, want %v", err, stop)
		}
	})
}

// With "Expect: 100-continue" the body is sent when the server asks for it or after a time, and not at all if the server refuses
// it.
func TestTransportExpect(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		r.tr.ExpectContinueTimeout = 200 * time.Millisecond // quic-go's server does not ask
		asks := func(q *http.Request) { q.Header.Set("Expect", "100-continue") }
		if _, body := r.do("POST", "/echo", strings.NewReader("abc"), asks); body != "abc" {
			t.Errorf(`got %q, want "abc"`, body)
		}
		r.tr.ExpectContinueTimeout = 20 * time.Second
		b := &countedBody{Reader: content(1 << 20)}
		if resp, _ := r.do("POST", "/refuse", b, asks); resp.StatusCode != 413 {
			t.Error(resp.Status)
		}
		b.awaitClose(t)
		if b.reads() > 0 {
			t.Error("the body was read")
		}
		b = &countedBody{Reader: content(1 << 20)} // a response means that the body is not wanted
		if _, body := r.do("POST", "/early", b, asks); body != "early" {
			t.Errorf(`got %q, want "early"`, body)
		}
		b.awaitClose(t)
		if b.reads() > 0 {
			t.Error("the body was read")
		}
	})
}

// countedBody counts its reads and closes.
type countedBody struct {
	io.Reader
	mu     sync.Mutex
	n      int
	closes int
}

func (b *countedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
	return b.Reader.Read(p)
}

func (b *countedBody) Close() error {
	b.mu.Lock()
	b.closes++
	b.mu.Unlock()
	return nil
}

func (b *countedBody) reads() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func (b *countedBody) awaitClose(t *testing.T) {
	t.Helper()
	for range 1000 {
		b.mu.Lock()
		n := b.closes
		b.mu.Unlock()
		if n > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the body was not closed")
}

// A response that arrives before the request is complete is read to its end, and the upload stops.
func TestTransportEarlyResponse(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		pr, pw := io.Pipe()
		defer pw.Close()
		go pw.Write([]byte("the beginning"))
		b := &countedBody{Reader: pr}
		if _, body := r.do("POST", "/early", b); body != "early" {
			t.Errorf(`got %q, want "early"`, body)
		}
		b.awaitClose(t)
		b = &countedBody{Reader: pattern(0)} // without end
		if _, body := r.do("POST", "/early", b); body != "early" {
			t.Errorf(`got %q, want "early"`, body)
		}
		b.awaitClose(t)
		if _, body := r.do("GET", "/", nil); body != "GET HTTP/3.0" {
			t.Errorf(`got %q, want "GET HTTP/3.0"`, body)
		}
	})
}

// A body whose length differs from ContentLength is an error.
func TestTransportWrongLength(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		for n, words := range map[int64]string{4: "ContentLength=4 with Body length 3", 2: "ContentLength=2 with Body length 3"} {
			b := &countedBody{Reader: strings.NewReader("abc")}
			req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url+"/sum", b)
			req.ContentLength = n
			err := r.fails(req)
			want(t, err, words)
			if (n == 4) != errors.Is(err, io.ErrUnexpectedEOF) {
				t.Error(err)
			}
			b.awaitClose(t)
		}
		req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url+"/sum", content(70_000)) // more than is read at once
		req.ContentLength = 40_000
		want(t, r.fails(req), "ContentLength=40000 with Body length")
		broken := errors.New("broken")
		req, _ = http.NewRequestWithContext(t.Context(), "POST", r.url+"/sum", io.MultiReader(content(100), errReader{broken}))
		if err := r.fails(req); err != broken {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// A request ends with its context, at every stage.
func TestTransportCancel(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		for _, path := range []string{"/silent", "/slow"} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			req, _ := http.NewRequestWithContext(ctx, "GET", r.url+path, nil)
			if err := r.fails(req); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", path, err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			req, _ = http.NewRequestWithContext(ctx, "POST", r.url+path, &countedBody{Reader: pattern(0)})
			if err := r.fails(req); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", path, err)
			}
			cancel()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b := &countedBody{Reader: pattern(0)}
		req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/", b)
		if err := r.fails(req); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		b.awaitClose(t)
		waits := newClientRig(t, r.addr)
		waits.tr.ResponseHeaderTimeout = 50 * time.Millisecond
		req, _ = http.NewRequestWithContext(t.Context(), "GET", r.url+"/silent", nil)
		err := waits.fails(req)
		want(t, err, "timeout awaiting response headers")
		if e, ok := err.(interface{ Timeout() bool }); !ok || !e.Timeout() {
			t.Error(err)
		}
	})
}

const closedBody = "http: read on closed response body"

// Closing a body ends a Read that waits, and the stream.
func TestTransportClosesBody(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		resp, err := r.c.Get(r.url + "/slow")
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() {
			_, err := resp.Body.Read(make([]byte, 10))
			read <- err
		}()
		time.Sleep(20 * time.Millisecond)
		resp.Body.Close()
		select {
		case err := <-read:
			want(t, err, closedBody)
		case <-time.After(10 * time.Second):
			t.Fatal("Read has not returned")
		}
		_, err = resp.Body.Read(make([]byte, 1))
		want(t, err, closedBody)
		if resp, err = r.c.Get(r.url + "/length"); err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 1)) // more of it has come
		resp.Body.Close()
		_, err = resp.Body.Read(make([]byte, 1))
		want(t, err, closedBody)
		resp, err = r.c.Get(r.url + "/big")
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 100))
		resp.Body.Close()
		if _, body := r.do("GET", "/", nil); body != "GET HTTP/3.0" {
			t.Errorf(`got %q, want "GET HTTP/3.0"`, body)
		}
	})
}

// Concurrent requests share one connection, and wait while the server allows no more streams.
func TestTransportConcurrent(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		var mu sync.Mutex
		local := map[string]int{}
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() {
				body := bytes.Repeat(fmt.Appendf(nil, "%d,", i), 1000)
				trace := &httptrace.ClientTrace{GotConn: func(g httptrace.GotConnInfo) {
					mu.Lock()
					local[g.Conn.LocalAddr().String()]++
					mu.Unlock()
				}}
				_, got := r.do("POST", "/echo", bytes.NewReader(body), func(q *http.Request) { *q = *q.WithContext(httptrace.WithClientTrace(q.Context(), trace)) })
				if got != string(body) {
					t.Errorf("%d: got %d bytes", i, len(got))
				}
			})
		}
		all.Wait()
		if len(local) != 1 {
			t.Errorf("got %v, want one connection", local)
		}
	})
}

// Invalid requests are not sent, and their bodies are closed.
func TestTransportRefuses(t *testing.T) {
	tr := newTransport(t)
	for words, change := range map[string]func(q *http.Request){
		"HTTP/3 needs https":        func(q *http.Request) { q.URL.Scheme = "http" },
		"no Host in request URL":    func(q *http.Request) { q.URL.Host = "" },
		"nil Request.URL":           func(q *http.Request) { q.URL = nil },
		"nil Request.Header":        func(q *http.Request) { q.Header = nil },
		`invalid method "A B"`:      func(q *http.Request) { q.Method = "A B" },
		`Host "a b"`:                func(q *http.Request) { q.Host = "a b" },
		"field name \"A B\"":        func(q *http.Request) { q.Header["A B"] = []string{"x"} },
		"field name \":path\"":      func(q *http.Request) { q.Header[":path"] = []string{"/x"} },
		"field value for \"A\"":     func(q *http.Request) { q.Header["A"] = []string{"x\ny"} },
		"invalid Upgrade":           func(q *http.Request) { q.Header.Set("Upgrade", "websocket") },
		"invalid Connection":        func(q *http.Request) { q.Header.Set("Connection", "upgrade") },
		"invalid Transfer-Encoding": func(q *http.Request) { q.Header.Set("Transfer-Encoding", "gzip") },
		"invalid Trailer key":       func(q *http.Request) { q.Trailer = http.Header{"Content-Length": nil} },
		"control character":         func(q *http.Request) { q.URL.RawQuery = "a b" },
		"invalid request target":    func(q *http.Request) { q.URL.Opaque = "x" },
		"invalid port":              func(q *http.Request) { q.URL.Host = "127.0.0.1:0" },
	} {
		b := &countedBody{Reader: strings.NewReader("abc")}
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "https://127.0.0.1:1/", b)
		change(req)
		_, err := tr.RoundTrip(req)
		want(t, err, words)
		b.awaitClose(t)
	}
}
