package client_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// The methods return what the head says, over HTTP/1.
func TestResponse(t *testing.T) {
	for _, tc := range []struct {
		say, status, proto, body string
		length                   int64
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 OK", "HTTP/1.1", "hi", 2},
		{"HTTP/1.0 404 Nothing here\r\n\r\nhi", "404 Nothing here", "HTTP/1.0", "hi", -1},
		{"HTTP/1.1 299\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "299 ", "HTTP/1.1", "hi", -1},
		{"HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", "404 Not Found", "HTTP/1.1", "", 0},
		{"HTTP/1.1 204 No\r\n\r\n", "204 No", "HTTP/1.1", "", 0},
		{"HTTP/1.1 304 X\r\nContent-Length: 7\r\n\r\n", "304 X", "HTTP/1.1", "", 0},
		{"HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "200 OK", "HTTP/1.1", "x", 1},
	} {
		url := converse(t, func(_ int, p *peer) { p.head(); p.say(tc.say) })
		c := newClient(t, client.Config{})
		resp, err := c.Get(url)
		if err != nil {
			t.Errorf("%q: %v", tc.say, err)
			continue
		}
		if resp.Status() != tc.status || resp.Proto() != tc.proto || fmt.Sprint(resp.StatusCode()) != tc.status[:3] || resp.URL() != url {
			t.Errorf("%q: got %q, %d, %q, %q", tc.say, resp.Status(), resp.StatusCode(), resp.Proto(), resp.URL())
		}
		if tc.status != "304 X" && resp.ContentLength() != tc.length {
			t.Errorf("%q: length %d", tc.say, resp.ContentLength())
		}
		body, err := io.ReadAll(resp.Body())
		if string(body) != tc.body || err != nil {
			t.Errorf("%q: got %q, %v", tc.say, body, err)
		}
		if n, err := resp.Body().Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%q: after the end %d, %v", tc.say, n, err)
		}
		resp.Close()
	}
}

// A response to HEAD has a length and no body, and its connection is reused.
func TestHead(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				w.Header().Set("Content-Length", "1000")
			} else {
				w.(http.Flusher).Flush()
			}
		})
		c := newClient(t, client.Config{Protocol: p})
		for range 3 {
			resp, err := c.Head(url)
			if err != nil {
				t.Fatal(err)
			}
			body, err := resp.AppendBody(nil)
			if got := resp.Header().GetString("Content-Length"); got != "1000" || len(body) > 0 || err != nil || resp.StatusCode() != 200 || resp.ContentLength() != 1000 {
				t.Errorf("got %q, %q, %v; %d", got, body, err, resp.ContentLength())
			}
			resp.Close()
			if resp, err = c.Head(url + "/unknown"); err != nil || resp.ContentLength() != -1 {
				t.Errorf("got %d, %v; want -1", resp.ContentLength(), err)
			}
			resp.Close()
		}
		if s := c.Stats(); s.OpenedConnections != 1 {
			t.Errorf("got %+v, want OpenedConnections 1", s)
		}
	})
}

// Status, and other methods that return strings, allocate at most once.
func TestStatusAllocatesOnce(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-A", strings.Repeat("a", 50)) })
	c := newClient(t, client.Config{})
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	_ = resp.Status()
	if n := testing.AllocsPerRun(10, func() { _, _ = resp.Status(), resp.Proto() }); n > 0 {
		t.Errorf("Status and Proto: %v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { sink = resp.Header().GetString("x-a") }); n > 1 {
		t.Errorf("GetString: %v allocations", n)
	}
}

var sink string

// The server chooses the version in the handshake, and its certificate is verified.
func TestTLS(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
		s.EnableHTTP2 = h2
		s.Config.ErrorLog = discard
		s.StartTLS()
		defer s.Close()
		trusting := s.Client().Transport.(*http.Transport).TLSClientConfig
		trusting = &tls.Config{RootCAs: trusting.RootCAs}
		for p, want := range map[client.Protocol]string{client.Any: "HTTP/2.0", client.HTTP1: "HTTP/1.1", client.HTTP2: "HTTP/2.0"} {
			if p == client.Any && !h2 {
				want = "HTTP/1.1"
			}
			c := newClient(t, client.Config{TLSConfig: trusting, Protocol: p})
			for range 3 {
				resp, err := c.Get(s.URL)
				if p == client.HTTP2 && !h2 {
					if err == nil {
						t.Error("got no error from a server without HTTP/2")
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				body, err := resp.AppendBody(nil)
				if string(body) != want || resp.Proto() != want || err != nil || resp.TLS() == nil || !resp.TLS().HandshakeComplete {
					t.Errorf("got %q, %q, %v, %v; want %q twice, and a complete handshake", body, resp.Proto(), err, resp.TLS(), want)
				}
				resp.Close()
			}
			if s := c.Stats(); s.OpenedConnections != 1 && s.Failures == 0 {
				t.Errorf("got %+v; want OpenedConnections 1", s)
			}
		}
		c := newClient(t, client.Config{})
		_, err := c.Get(s.URL)
		var bad *tls.CertificateVerificationError
		if !errors.As(err, &bad) {
			t.Errorf("a certificate of nobody's: %v", err)
		}
		if len(trusting.NextProtos) > 0 || trusting.ClientSessionCache != nil {
			t.Error("Config.TLSConfig was changed")
		}
	}
}

// Trailers arrive in both directions, in both versions of HTTP.
func TestTrailers(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			announced := fmt.Sprint(len(r.Trailer))
			b, _ := io.ReadAll(r.Body)
			fmt.Fprint(w, announced, string(b), r.Trailer.Get("X-Asked"))
			w.Header().Set("X-Sum", "sum")
		})
		c := newClient(t, client.Config{Protocol: p})
		req := &client.Request{Method: "POST", URL: url, Trailer: fields("X-Asked", "")}
		req.Stream = io.MultiReader(strings.NewReader("body"), atEnd(func() { req.Trailer.Set("X-Asked", "late") }))
		resp, err := c.Do(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := resp.AppendBody(nil)
		if string(body) != "1bodylate" || err != nil || resp.Trailer().GetString("X-Sum") != "sum" {
			t.Errorf("%q, %v, trailer %q", body, err, resp.Trailer().GetString("X-Sum"))
		}
		resp.Close()
	})
}

// atEnd is an empty reader that calls itself when it is read.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) { f(); return 0, io.EOF }

// A body waits for 100 Continue or ContinueTimeout, and is not sent after a final response.
func TestExpect(t *testing.T) {
	body := strings.Repeat("x", 1000)
	sent := make(chan string, 1)
	const thanks = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nthanks"
	url := converse(t, func(_ int, p *peer) {
		switch h := p.head(); {
		case !strings.Contains(h, "\r\nExpect: 100-continue\r\n"):
			t.Errorf("got %q", h)
		case strings.Contains(h, "/want"):
			p.say("HTTP/1.1 100 Continue\r\n\r\n")
			sent <- p.body(len(body))
			p.say(thanks)
		case strings.Contains(h, "/late"):
			sent <- p.body(len(body))
			p.say(thanks)
		default:
			p.say("HTTP/1.1 413 Too much\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
			b, _ := io.ReadAll(p.r)
			sent <- string(b)
		}
	})
	c := newClient(t, client.Config{ContinueTimeout: -1})
	for _, path := range []string{"/want", "/refuse"} {
		req := &client.Request{Method: "POST", URL: url + path, Body: []byte(body), ExpectContinue: true}
		status, got, err := do(c, req)
		if seen := <-sent; path == "/want" && (status != 200 || seen != body) || path == "/refuse" && (status != 413 || seen != "" || got != "no") || err != nil {
			t.Errorf("%s: %d %q, %v; the server saw %d bytes", path, status, got, err, len(seen))
		}
	}
	c = newClient(t, client.Config{ContinueTimeout: time.Millisecond})
	req := &client.Request{Method: "POST", URL: url + "/late", Body: []byte(body), Header: fields("Expect", "100-Continue")}
	if status, _, err := do(c, req); status != 200 || <-sent != body || err != nil {
		t.Errorf("late: got %d, %v", status, err)
	}
}

// Interim is called with informational responses, and can end the request.
func TestInterim(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</a>")
			w.WriteHeader(103)
			w.WriteHeader(102)
			io.WriteString(w, "done")
		})
		c := newClient(t, client.Config{Protocol: p})
		var told []string
		req := &client.Request{URL: url, Interim: func(status int, h *client.Header) error {
			told = append(told, fmt.Sprint(status, h.GetString("Link")))
			return nil
		}}
		if _, body, err := do(c, req); body != "done" || err != nil || fmt.Sprint(told) != "[103</a> 102</a>]" && fmt.Sprint(told) != "[103 </a> 102 </a>]" {
			t.Errorf("%q, %v, told %q", body, err, told)
		}
		boom := errors.New("boom")
		req.Interim = func(int, *client.Header) error { return boom }
		if _, _, err := do(c, req); !errors.Is(err, boom) {
			t.Error(err)
		}
		req.Interim = nil
		if _, body, err := do(c, req); body != "done" || err != nil {
			t.Errorf(`got %q, %v; want "done"`, body, err)
		}
	})
}

// AppendBody appends the whole body to dst, in whatever pieces it arrives.
func TestAppendBody(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		long := bytes.Repeat([]byte("0123456789abcdef"), 40_000)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "length") {
				w.Header().Set("Content-Length", fmt.Sprint(len(long)))
			}
			for b := long; len(b) > 0; b = b[10_000:] {
				w.Write(b[:10_000])
				w.(http.Flusher).Flush()
			}
		})
		for limit, want := range map[int64]int{0: len(long), -1: len(long), int64(len(long)): len(long), int64(len(long)) - 1: len(long) - 1, 1: 1} {
			c := newClient(t, client.Config{Protocol: p, MaxBodyBytes: limit})
			for _, path := range []string{"/length", "/chunks"} {
				resp, err := c.Get(url + path)
				if err != nil {
					t.Fatal(err)
				}
				got, err := resp.AppendBody([]byte("before "))
				if !bytes.Equal(got, append([]byte("before "), long[:want]...)) || errors.Is(err, client.ErrBodyTooLarge) != (want < len(long)) {
					t.Errorf("limit %d, %s: got %d bytes, %v", limit, path, len(got), err)
				}
				resp.Close()
				if resp, err = c.Get(url + path); err != nil {
					t.Fatal(err)
				}
				got, err = io.ReadAll(resp.Body())
				if !bytes.Equal(got, long[:want]) || errors.Is(err, client.ErrBodyTooLarge) != (want < len(long)) {
					t.Errorf("limit %d, %s: read %d bytes, %v", limit, path, len(got), err)
				}
				resp.Close()
			}
		}
	})
}

// Close ends a Read that waits.
func TestCloseDuringRead(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		gone := make(chan bool)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("some"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			gone <- true
		})
		c := newClient(t, client.Config{Protocol: p})
		for range 20 {
			resp, err := c.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan error)
			first := make(chan bool)
			go func() {
				b := make([]byte, 10)
				n, err := io.ReadAtLeast(resp.Body(), b, 4)
				if string(b[:n]) != "some" || err != nil {
					t.Errorf(`got %q, %v; want "some"`, b[:n], err)
				}
				close(first)
				_, err = resp.Body().Read(b)
				got <- err
			}()
			<-first
			resp.Close()
			if err := <-got; err != client.ErrBodyClosed {
				t.Errorf("got %v, want %v", err, client.ErrBodyClosed)
			}
			<-gone
		}
	})
}

// A context ends a request with its cause, before and after the head.
func TestContext(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		arrived := make(chan bool)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				w.Write([]byte("some"))
				w.(http.Flusher).Flush()
			} else {
				arrived <- true
			}
			<-r.Context().Done()
		})
		c := newClient(t, client.Config{Protocol: p})
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-arrived; cancel(why) }()
		if _, err := c.Do(ctx, &client.Request{URL: url}); !errors.Is(err, why) {
			t.Error(err)
		}
		if _, err := c.Do(ctx, &client.Request{URL: url}); !errors.Is(err, why) {
			t.Error(err)
		}
		ctx, cancel = context.WithCancelCause(t.Context())
		resp, err := c.Do(ctx, &client.Request{URL: url + "/body"})
		if err != nil {
			t.Fatal(err)
		}
		cancel(why)
		if _, err := io.ReadAll(resp.Body()); !errors.Is(err, why) {
			t.Error(err)
		}
		resp.Close()
	})
}

// After Close requests fail, and so do those under way.
func TestClose(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		arrived := make(chan bool, 1)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { arrived <- true; <-r.Context().Done() })
		c := newClient(t, client.Config{Protocol: p})
		go func() { <-arrived; c.Close() }()
		if _, err := c.Get(url); err == nil {
			t.Error("got a response after Close, want an error")
		}
		if _, err := c.Get(url); !errors.Is(err, client.ErrClosed) {
			t.Error(err)
		}
		if err := c.Warmup(1, url); !errors.Is(err, client.ErrClosed) {
			t.Error(err)
		}
		c.CloseIdle()
		c.Close()
	})
}

// The reason phrase stays valid when the head is moved because the body has arrived with it.
func TestReasonBehindAWholeBody(t *testing.T) {
	const head = "HTTP/1.1 200 Fine\r\nContent-Length: 3000\r\n\r\n"
	url := converse(t, func(_ int, p *peer) { p.head(); p.say(head + strings.Repeat("b", 3000)) })
	resp, err := newClient(t, client.Config{}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	for range 100 { // whoever gets the smaller buffer writes to it
		b := bufpool.Get(1 << 10)
		defer bufpool.Put(b)
		clear(b)
	}
	if got := resp.Status(); got != "200 Fine" {
		t.Errorf("the status is %q", got)
	}
}
