package nethttp_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

const ok2 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// A connection is reused only after a whole response, if neither side has asked to close it.
func TestTransportKept(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		edit   func(tr *nethttp.Transport, r *http.Request)
		read   int // bytes of the body before it is closed; negative: to the end, and not closed
		kept   bool
	}{
		"read":             {ok2, nil, -1, true},
		"nothing to read":  {noBody, nil, 0, true},
		"chunked":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", nil, -1, true},
		"1.0":              {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", nil, -1, false},
		"1.0, kept":        {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", nil, -1, true},
		"server closes":    {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", nil, -1, false},
		"until the end":    {"HTTP/1.1 200 OK\r\n\r\nok", nil, -1, false},
		"surplus bytes":    {ok2 + ok2, nil, -1, false},
		"Close":            {ok2, func(_ *nethttp.Transport, r *http.Request) { r.Close = true }, -1, false},
		"Connection":       {ok2, func(_ *nethttp.Transport, r *http.Request) { r.Header.Set("Connection", "close") }, -1, false},
		"no keep-alives":   {ok2, func(tr *nethttp.Transport, _ *http.Request) { tr.DisableKeepAlives = true }, -1, false},
		"none idle":        {ok2, func(tr *nethttp.Transport, _ *http.Request) { tr.MaxIdleConnsPerHost = -1 }, -1, false},
		"closed half-way":  {"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\nok", nil, 1, false},
		"closed, all here": {ok2, nil, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				addr := speak(t, func(w *wire) {
					for w.head() != "" {
						w.send(tc.answer)
						if !tc.kept && strings.HasSuffix(tc.answer, "\n\r\nok") && !strings.Contains(tc.answer, "Content-Length") {
							return
						}
					}
				})
				tr := fresh()
				var conns []string
				for range 2 {
					req := getRequest(t, "http://"+addr)
					if tc.edit != nil {
						tc.edit(tr, req)
					}
					resp, err := tr.RoundTrip(tracedConn(req, &conns))
					if err != nil {
						t.Fatal(err)
					}
					if tc.read < 0 {
						io.Copy(io.Discard, resp.Body)
						continue
					}
					io.ReadFull(resp.Body, make([]byte, tc.read))
					resp.Body.Close()
				}
				if kept, want := conns[0] == conns[1], tc.kept && wakes(t); kept != want {
					t.Errorf("kept: %v, want %v", kept, want)
				}
			})
		})
	}
}

// When an idle connection has ended under a request, only a request that may be repeated is sent again.
func TestTransportAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		body   io.Reader
		edit   func(r *http.Request)
		again  bool
	}{
		"GET":                   {"GET", nil, nil, true},
		"HEAD":                  {"HEAD", nil, nil, true},
		"POST":                  {"POST", nil, nil, false},
		"DELETE":                {"DELETE", nil, nil, false},
		"POST with a key":       {"POST", strings.NewReader("x"), func(r *http.Request) { r.Header["Idempotency-Key"] = nil }, true},
		"POST with another key": {"POST", strings.NewReader("x"), func(r *http.Request) { r.Header.Set("X-Idempotency-Key", "1") }, true},
		"a body that cannot be read again": {"PUT", io.MultiReader(strings.NewReader("x")), func(r *http.Request) { r.Header["Idempotency-Key"] = nil },
			false},
		"a body from GetBody": {"PUT", io.MultiReader(strings.NewReader("x")), func(r *http.Request) {
			r.Header["Idempotency-Key"] = nil
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }
		}, true},
		"GetBody fails": {"PUT", io.MultiReader(strings.NewReader("x")), func(r *http.Request) {
			r.Header["Idempotency-Key"] = nil
			r.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("gone") }
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			addr := speak(t, func(w *wire) {
				w.head()
				w.send(ok2)
				if w.n > 0 {
					w.skip()
					return
				}
				w.head() // and closes
			})
			tr := new(nethttp.Transport)
			defer tr.Close()
			roundTrip(t, tr, getRequest(t, "http://"+addr))
			req, _ := http.NewRequestWithContext(t.Context(), tc.method, "http://"+addr, tc.body)
			if tc.edit != nil {
				tc.edit(req)
			}
			resp, err := tr.RoundTrip(req)
			if (err == nil) != tc.again {
				t.Fatalf("got %v, want it sent again: %v", err, tc.again)
			}
			if err == nil && resp.Request != req {
				t.Error("the response is another request's")
			}
			if err == nil {
				resp.Body.Close()
			}
		})
	}
}

// When a new connection ends, the request is not sent again.
func TestTransportNeverAgain(t *testing.T) {
	ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
		addr := speak(t, func(w *wire) {
			w.head()
			if w.n > 0 {
				t.Error("the request has come twice")
			}
		})
		if _, err := fresh().RoundTrip(getRequest(t, "http://"+addr)); err != io.EOF {
			t.Errorf("got %v", err)
		}
	})
}

// inBubble runs test in a bubble, with a Transport whose server responds at once, and to /wait when it is told to.
func inBubble(t *testing.T, test func(t *testing.T, b *bubble)) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{t: t, hold: make(chan struct{})}
		b.tr = &nethttp.Transport{Dial: b.dial}
		test(t, b)
		b.tr.CloseIdleConnections()
		synctest.Wait()
		if n := b.open.Load(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
	})
}

type bubble struct {
	t      *testing.T
	tr     *nethttp.Transport
	hold   chan struct{}
	dialed atomic.Int32
	open   atomic.Int32
}

func (b *bubble) dial(network, addr string) (net.Conn, error) {
	return b.dialTo(func(w *wire) {
		for head := w.head(); head != ""; head = w.head() {
			if strings.Contains(head, " /wait ") {
				<-b.hold
			}
			w.send(ok2)
		}
	})(network, addr)
}

// dialTo opens connections to a server that runs say.
func (b *bubble) dialTo(say func(w *wire)) func(network, addr string) (net.Conn, error) {
	return func(string, string) (net.Conn, error) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		b.dialed.Add(1)
		b.open.Add(1)
		go func() {
			defer func() { far.Close(); b.open.Add(-1) }()
			say(newWire(b.t, far))
		}()
		return near, nil
	}
}

// get requests path of a host and reads the response.
func (b *bubble) get(host, path string) error {
	resp, err := b.tr.RoundTrip(getRequest(b.t, "http://"+host+path))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// is checks how many connections were opened so far, and how many are open.
func (b *bubble) is(when string, dialed, open int32) {
	b.t.Helper()
	synctest.Wait()
	if d, o := b.dialed.Load(), b.open.Load(); d != dialed || o != open {
		b.t.Errorf("%s: %d opened, %d open, want %d, %d", when, d, o, dialed, open)
	}
}

// several sends n requests at once.
func (b *bubble) several(n int, host string) (done chan error) {
	done = make(chan error, n)
	for range n {
		go func() { done <- b.get(host, "/wait") }()
	}
	synctest.Wait()
	return done
}

// MaxIdleConnsPerHost, MaxIdleConns and IdleConnTimeout bound how many idle connections are kept, and for how long.
func TestTransportIdleBounds(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.several(4, "a")
		close(b.hold)
		b.is("two to a host", 4, 2)
		b.tr.CloseIdleConnections()
		b.is("none", 4, 0)
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.MaxIdleConnsPerHost, b.tr.MaxIdleConns = 9, 3
		b.several(2, "a")
		b.several(2, "b")
		close(b.hold)
		b.is("three in all", 4, 3)
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.MaxIdleConns = 2
		for _, host := range []string{"a", "b", "a", "c", "a"} {
			if err := b.get(host, "/"); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		b.is("the one used last stays", 3, 2)
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.IdleConnTimeout = time.Minute
		for range 3 {
			if err := b.get("a", "/"); err != nil {
				t.Error(err)
			}
			time.Sleep(59 * time.Second)
		}
		b.is("used in time", 1, 1)
		time.Sleep(2 * time.Second)
		b.is("idle for too long", 1, 0)
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		done := b.several(1, "a")
		b.tr.CloseIdleConnections()
		b.hold <- struct{}{}
		if err := <-done; err != nil {
			t.Error(err)
		}
		b.is("done behind CloseIdleConnections", 1, 0)
	})
}

// Requests beyond MaxConnsPerHost wait in line.
func TestTransportMaxConnsPerHost(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.MaxConnsPerHost = 2
		done := b.several(5, "a")
		b.is("two run", 2, 2)
		other := b.several(1, "b")
		b.is("another host", 3, 3)
		close(b.hold)
		for range 5 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := <-other; err != nil {
			t.Error(err)
		}
		b.is("all are done", 3, 3)
	})
}

// A connection dialled for a request that meanwhile got another one is kept.
func TestTransportLateConnection(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		slow := false
		b.tr.Dial = func(network, addr string) (net.Conn, error) {
			if slow {
				time.Sleep(time.Hour)
			}
			return b.dial(network, addr)
		}
		first := b.several(1, "a")
		slow = true
		second := make(chan error, 1)
		go func() { second <- b.get("a", "/") }()
		b.is("one is under way", 1, 1)
		b.hold <- struct{}{}
		if err := errors.Join(<-first, <-second); err != nil {
			t.Error(err)
		}
		b.is("the second has used the first's", 1, 1)
		time.Sleep(2 * time.Hour)
		b.is("the late one is kept", 2, 2)
	})
}

// refusing is a connection whose writes fail once it refuses.
type refusing struct {
	net.Conn
	from  time.Time
	after int // bytes that are sent before
}

func (c *refusing) Write(p []byte) (int, error) {
	if time.Now().Before(c.from) {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:min(c.after, len(p))])
	return n, errors.New("refused")
}

// A request of which a reused connection accepted no byte is sent on another, whatever its method, but not if the
// connection was new.
func TestTransportRefused1(t *testing.T) {
	for _, tc := range []struct {
		method        string
		after, opened int
		first, again  bool
	}{
		{"POST", 0, 2, true, true},
		{"POST", 5, 1, true, false},
		{"GET", 5, 2, true, true},
		{"GET", 0, 1, false, false},
	} {
		inBubble(t, func(t *testing.T, b *bubble) {
			from := time.Now().Add(time.Minute)
			if !tc.first {
				from = time.Now()
			}
			b.tr.Dial = func(network, addr string) (net.Conn, error) {
				nc, err := b.dial(network, addr)
				if b.dialed.Load() > 1 {
					return nc, err
				}
				return &refusing{nc, from, tc.after}, err
			}
			if tc.first {
				if err := b.get("a", "/"); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			req, _ := http.NewRequestWithContext(t.Context(), tc.method, "http://a/", nil)
			resp, err := b.tr.RoundTrip(req)
			if (err == nil) != tc.again || int(b.dialed.Load()) != tc.opened {
				t.Errorf("%+v: got %v, %d connections", tc, err, b.dialed.Load())
			}
			if err == nil {
				resp.Body.Close()
			}
		})
	}
}

// A request whose head was sent but not its body is not sent again.
func TestTransportPartlyRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		from := time.Now().Add(time.Minute)
		b.tr.Dial = func(network, addr string) (net.Conn, error) {
			nc, err := b.dial(network, addr)
			return &refusing{nc, from, 0}, err
		}
		if err := b.get("a", "/"); err != nil {
			t.Fatal(err)
		}
		body, w := io.Pipe()
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://a/wait", body)
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("again")), nil }
		done := make(chan error)
		go func() {
			_, err := b.tr.RoundTrip(req)
			done <- err
		}()
		synctest.Wait()
		time.Sleep(time.Minute)
		go io.WriteString(w, "x")
		if err := <-done; err == nil || b.dialed.Load() != 1 {
			t.Errorf("got %v, %d connections", err, b.dialed.Load())
		}
		close(b.hold)
	})
}
