package http3_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// sockets counts the sockets of a Transport.
type sockets struct{ opened, closed atomic.Int64 }

func (s *sockets) listen(ctx context.Context, network, addr string) (net.PacketConn, error) {
	pc, err := new(net.ListenConfig).ListenPacket(ctx, network, addr)
	if err == nil {
		s.opened.Add(1)
		pc = &countedSocket{PacketConn: pc, s: s}
	}
	return pc, err
}

type countedSocket struct {
	net.PacketConn
	s    *sockets
	once sync.Once
}

func (c *countedSocket) Close() error {
	c.once.Do(func() { c.s.closed.Add(1) })
	return c.PacketConn.Close()
}

// await waits until n sockets have been closed.
func (s *sockets) await(t *testing.T, n int64) {
	t.Helper()
	for range 2000 {
		if s.closed.Load() == n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d of %d sockets closed, want %d", s.closed.Load(), s.opened.Load(), n)
}

// A connection without requests ends after IdleConnTimeout, at CloseIdleConnections and at Close; one with requests stays.
func TestIdleConns(t *testing.T) {
	forBoth(t, func(r *clientRig) {
		var s sockets
		r.tr.ListenPacket = s.listen
		r.do("GET", "/", nil)
		r.do("GET", "/", nil)
		if s.opened.Load() != 1 {
			t.Errorf("got %v, want 1", s.opened.Load())
		}
		resp, err := r.c.Get(r.url + "/slow")
		if err != nil {
			t.Fatal(err)
		}
		r.tr.CloseIdleConnections()
		if n := s.closed.Load(); n != 0 {
			t.Errorf("got %v, want 0", n)
		}
		resp.Body.Close()
		r.tr.CloseIdleConnections()
		s.await(t, 1)
		r.do("GET", "/", nil, func(q *http.Request) { q.Close = true })
		s.await(t, 2)
		r.do("GET", "/", nil)
		resp, err = r.c.Get(r.url + "/slow")
		if err != nil {
			t.Fatal(err)
		}
		r.tr.Close()
		if n := s.closed.Load(); n != 3 {
			t.Errorf("got %v, want 3", n)
		}
		_, err = resp.Body.Read(make([]byte, 1))
		resp.Body.Close()
		want(t, err, "the Transport is closed")
		req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url, nil)
		want(t, r.fails(req), "the Transport is closed")
	})
	forBoth(t, func(r *clientRig) {
		var s sockets
		r.tr.ListenPacket, r.tr.IdleConnTimeout = s.listen, 100*time.Millisecond
		r.do("GET", "/", nil)
		s.await(t, 1)
		resp, err := r.c.Get(r.url + "/slow")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		time.Sleep(200 * time.Millisecond) // it is not idle
		if n := s.closed.Load(); n != 1 {
			t.Errorf("got %v, want 1", n)
		}
		resp.Body.Close()
		s.await(t, 2)
	})
}

// Concurrent requests share one dial, which goes on as long as one of them waits.
func TestDials(t *testing.T) {
	deaf, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	var s sockets
	r := newClientRig(t, deaf.LocalAddr().String())
	r.tr.ListenPacket, r.tr.TLSHandshakeTimeout = s.listen, 400*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			req, _ := http.NewRequestWithContext(ctx, "GET", r.url, nil)
			if err := r.fails(req); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		all.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url, nil)
			err := r.fails(req)
			want(t, err, "dial "+r.addr, "TLS handshake timeout")
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("%v is no timeout", err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	cancel()
	all.Wait()
	s.await(t, 1)
	if n := s.opened.Load(); n != 1 {
		t.Errorf("%d dials", n)
	}
	r.tr.TLSHandshakeTimeout = -1 // nobody waits any more
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", r.url, nil)
	if err := r.fails(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	s.await(t, 2)
	time.AfterFunc(50*time.Millisecond, func() { r.tr.Close() })
	req, _ = http.NewRequestWithContext(t.Context(), "GET", r.url, nil)
	want(t, r.fails(req), "the Transport is closed")
	s.await(t, 3)
}

// A dial fails with a clear error when the server is not trusted, does not speak HTTP/3, or does not exist.
func TestDialErrors(t *testing.T) {
	r := evil(t, (*evilConn).honest)
	r.tr.TLSClientConfig = nil
	req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url, nil)
	err := r.fails(req)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		t.Errorf("got %v, want a *tls.CertificateVerificationError", err)
	}
	want(t, err, "http3: dial "+r.addr, "certificate")

	cert, _ := certificate()
	l, err := quic.ListenAddr("127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"other"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	req, _ = http.NewRequestWithContext(t.Context(), "GET", "https://"+l.Addr().String(), nil)
	want(t, newClientRig(t, "").fails(req), "http3: dial", "application protocol")

	req, _ = http.NewRequestWithContext(t.Context(), "GET", "https://nowhere.invalid", nil)
	want(t, r.fails(req), "http3: dial nowhere.invalid:443")
	failed := errors.New("no socket")
	none := newClientRig(t, r.addr)
	none.tr.ListenPacket = func(context.Context, string, string) (net.PacketConn, error) { return nil, failed }
	if err := none.ask("GET"); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// A request on a connection that has just ended is sent again once, if sending it twice is safe.
func TestStaleConn(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		set    func(*http.Request)
		again  bool
	}{
		"GET":                          {"GET", func(*http.Request) {}, true},
		"POST":                         {"POST", func(*http.Request) {}, false},
		"POST with an Idempotency-Key": {"POST", func(q *http.Request) { q.Header["Idempotency-Key"] = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := evil(t, func(e *evilConn) {
				e.uni("00 0400")
				s := e.request()
				s.Write(unhex(e, "[:status 200] 0002 6f6b"))
				s.Close()
				e.request()
				e.c.CloseWithError(0x100, "")
			})
			r.do("GET", "/", nil)
			req, _ := http.NewRequestWithContext(t.Context(), tc.method, r.url, nil)
			tc.set(req)
			err := r.fails(req)
			if tc.again {
				want(t, err, "no error: 200 OK ok")
			} else {
				want(t, err, "closed by the server", "H3_NO_ERROR")
			}
			r.goesOn()
		})
	}
}

// Requests beyond a GOAWAY are sent again on another connection, whatever their method, and earlier ones are completed.
func TestGoAway(t *testing.T) {
	for name, body := range map[string]func() io.Reader{
		"no body":           func() io.Reader { return nil },
		"a body, again":     func() io.Reader { return strings.NewReader("abc") },
		"a body, only once": func() io.Reader { return io.MultiReader(strings.NewReader("abc")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := make(chan bool)
			r := evil(t, func(e *evilConn) {
				u := e.uni("00 0400")
				s := e.request()
				close(first)
				other := e.request()
				io.ReadFull(other, make([]byte, 1))
				time.Sleep(50 * time.Millisecond) // the body was sent
				u.Write(unhex(e, "0701 04"))
				io.Copy(io.Discard, other)
				s.Write(unhex(e, "[:status 200] 0005 6669727374"))
				s.Close()
			})
			var all sync.WaitGroup
			all.Go(func() {
				if _, body := r.do("POST", "/", nil); body != "first" {
					t.Errorf(`got %q, want "first"`, body)
				}
			})
			<-first
			req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url, body())
			if err := r.fails(req); name == "a body, only once" {
				want(t, err, "GetBody", "GOAWAY")
			} else {
				want(t, err, "no error: 200 OK ok")
			}
			all.Wait()
			r.goesOn()
		})
	}
}

// A rejected request is sent again, with a longer pause each time.
func TestRejected(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		for range 2 {
			s := e.request()
			s.CancelRead(0x10b)
			s.CancelWrite(0x10b)
		}
		e.serve()
	})
	began := time.Now()
	if _, body := r.do("POST", "/", nil); body != "ok" {
		t.Errorf(`got %q, want "ok"`, body)
	}
	if d := time.Since(began); d < time.Second {
		t.Error(d)
	}
}

// A request body that was not read is sent with the next attempt, and closed once.
func TestRejectedBody(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0400")
		s := e.request()
		s.CancelRead(0x10b)
		s.CancelWrite(0x10b)
		e.serve()
	})
	r.tr.ExpectContinueTimeout = 500 * time.Millisecond
	b := &countedBody{Reader: content(100)}
	resp, body := r.do("POST", "/", b, func(q *http.Request) { q.Header.Set("Expect", "100-continue") })
	b.awaitClose(t)
	if body != "ok" || resp.StatusCode != 200 || b.reads() == 0 || b.closes != 1 {
		t.Errorf("%q, %d reads, %d times closed", body, b.reads(), b.closes)
	}
}

// A shutdown of the server interrupts no request.
func TestServerShutdown(t *testing.T) {
	forShutdown := func(t *testing.T, r *clientRig, shutdown func(context.Context) error) {
		resp, err := r.c.Post(r.url+"/echo", "", io.MultiReader(strings.NewReader("abc"), atEnd(func() { time.Sleep(200 * time.Millisecond) })))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		down := make(chan error, 1)
		go func() {
			ctx, cancel := within(t)
			defer cancel()
			down <- shutdown(ctx)
		}()
		b, err := io.ReadAll(resp.Body)
		if string(b) != "abc" || err != nil {
			t.Errorf(`got %q, %v; want "abc"`, b, err)
		}
		if err := <-down; err != nil {
			t.Error(err)
		}
		later := newClientRig(t, r.addr)
		later.tr.TLSHandshakeTimeout = 100 * time.Millisecond
		if err := later.ask("GET"); err == nil || strings.HasPrefix(err.Error(), "no error") {
			t.Error(err)
		}
	}
	slowEcho := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		io.Copy(w, r.Body)
	})
	t.Run("ours", func(t *testing.T) {
		s := &nethttp.Server{Handler: slowEcho}
		forShutdown(t, newClientRig(t, serveNetHTTP(t, s).addr), s.Shutdown)
	})
	t.Run("quic-go", func(t *testing.T) {
		addr, s := startPeer(t, slowEcho)
		forShutdown(t, newClientRig(t, addr), s.Shutdown)
	})
}

// A request waits while the server allows no more streams, but not longer than its context.
func TestStreamLimit(t *testing.T) {
	addr, _ := startPeer(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/slow" {
			w.(http.Flusher).Flush()
			time.Sleep(300 * time.Millisecond)
		}
	}), func(s *peer.Server) { s.QUICConfig = &quic.Config{MaxIncomingStreams: 1} })
	c := newClientRig(t, addr)
	done := make(chan bool)
	go func() {
		c.do("GET", "/slow", nil)
		close(done)
	}()
	time.Sleep(50 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", c.url, nil)
	if err := c.fails(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	c.do("GET", "/", nil)
	<-done
}

// A request head that is larger than the server accepts is not sent.
func TestServerFieldLimit(t *testing.T) {
	r := evil(t, func(e *evilConn) {
		e.uni("00 0403 06 40c8") // 200
		e.serve()
	})
	r.tr.TLSHandshakeTimeout = time.Second
	for {
		err := r.ask("GET") // the settings may not have come yet
		if !strings.HasPrefix(err.Error(), "no error") {
			want(t, err, "the server accepts at most 200", "SETTINGS_MAX_FIELD_SECTION_SIZE")
			return
		}
	}
}

// The host name is looked up, and the certificate is checked for TLSClientConfig.ServerName if that is set.
func TestNames(t *testing.T) {
	r := evil(t, (*evilConn).honest)
	_, port, _ := net.SplitHostPort(r.addr)
	r.url = "https://localhost:" + port
	r.goesOn()
	other := newClientRig(t, r.addr)
	other.tr.TLSClientConfig.ServerName = "another.test"
	want(t, other.ask("GET"), "certificate")
}

// A request that waits for a stream when GOAWAY comes uses another connection.
func TestGoAwayWhileWaiting(t *testing.T) {
	first, second, over := make(chan bool), make(chan bool), make(chan bool)
	r := evil(t, func(e *evilConn) {
		u := e.uni("00 0400")
		s := e.request()
		close(first)
		<-second
		u.Write(unhex(e, "0701 04"))
		<-over
		s.Write(unhex(e, "[:status 200] 0005 6669727374"))
		s.Close()
	}, quic.Config{MaxIncomingStreams: 1})
	var all sync.WaitGroup
	all.Go(func() {
		if _, body := r.do("POST", "/", nil); body != "first" {
			t.Errorf(`got %q, want "first"`, body)
		}
	})
	<-first
	time.AfterFunc(50*time.Millisecond, func() { close(second) })
	r.goesOn()
	close(over)
	all.Wait()
}

// When a client comes back to a server that has forgotten its connection, the server says so; a request that is safe to repeat is
// sent again, and another one fails.
func TestForgottenConn(t *testing.T) {
	h := &nethttp.Server{Handler: http.HandlerFunc(behave)}
	cert, _ := certificate()
	h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	r := newClientRig(t, serveWith(t, h, http3.Config{MaxIdleTimeout: 300 * time.Millisecond}).addr)
	for _, method := range []string{"GET", "POST"} {
		r.do("GET", "/", nil)
		wiretest.Eventually(t, "the server's end of the connection", func() bool { return h.Stats().OpenConnections == 0 })
		err := r.ask(method)
		if method == "GET" {
			want(t, err, "no error: 200 OK")
		} else {
			want(t, err, "stateless reset")
		}
	}
}
