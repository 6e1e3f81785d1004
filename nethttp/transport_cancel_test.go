package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// ends are the ways in which a request is ended from outside, and the errors that it then fails with.
var ends = map[string]struct {
	begin func(ctx context.Context, r *http.Request) (*http.Request, func(tr *nethttp.Transport))
	err   error // nil: "net/http: request canceled"
}{
	"context": {func(ctx context.Context, r *http.Request) (*http.Request, func(*nethttp.Transport)) {
		ctx, cancel := context.WithCancel(ctx)
		return r.WithContext(ctx), func(*nethttp.Transport) { cancel() }
	}, context.Canceled},
	"cause": {func(ctx context.Context, r *http.Request) (*http.Request, func(*nethttp.Transport)) {
		ctx, cancel := context.WithCancelCause(ctx)
		return r.WithContext(ctx), func(*nethttp.Transport) { cancel(errMine) }
	}, errMine},
	"Cancel": {func(_ context.Context, r *http.Request) (*http.Request, func(*nethttp.Transport)) {
		cancel := make(chan struct{})
		//lint:ignore SA1019 http.Client closes it when its time is over
		r.Cancel = cancel
		return r, func(*nethttp.Transport) { close(cancel) }
	}, nil},
	"CancelRequest": {func(_ context.Context, r *http.Request) (*http.Request, func(*nethttp.Transport)) {
		return r, func(tr *nethttp.Transport) { tr.CancelRequest(r); tr.CancelRequest(r) }
	}, nil},
}

var errMine = errors.New("mine")

func wantEnd(t *testing.T, when string, got, want error, text string) {
	t.Helper()
	if want != nil && got != want || want == nil && (got == nil || got.Error() != text) {
		t.Errorf("%s: got %v, want %v", when, got, want)
	}
}

// A request that is ended fails at once at every stage, and its connection ends.
func TestTransportEnded(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				ended := func(path string, body io.Reader) error {
					req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://a"+path, body)
					req, stop := end.begin(t.Context(), req)
					done := make(chan error)
					go func() {
						_, err := b.tr.RoundTrip(req)
						done <- err
					}()
					synctest.Wait()
					stop(b.tr)
					return <-done
				}
				wantEnd(t, "waiting for the head", ended("/wait", nil), end.err, "net/http: request canceled")
				r, w := io.Pipe()
				wantEnd(t, "while it is sent", ended("/wait", r), end.err, "net/http: request canceled")
				if _, err := w.Write([]byte("x")); err == nil {
					t.Error("the body is not closed")
				}
				close(b.hold)
				b.is("both have ended", 2, 0)

				dial := b.tr.Dial
				b.tr.Dial = func(network, addr string) (net.Conn, error) { time.Sleep(time.Hour); return dial(network, addr) }
				begun := time.Now()
				wantEnd(t, "waiting for a connection", ended("/", nil), end.err, "net/http: request canceled while waiting for connection")
				if time.Since(begun) > time.Second {
					t.Error("it has waited for the dial")
				}
				time.Sleep(2 * time.Hour)
				b.is("the late connection is kept", 3, 1)
			})
		})
	}
}

// Over HTTP/2 a request that is ended fails at once, even while it waits to be sent again or for flow control.
func TestTransportEndedWaiting2(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				b.tr.Protocols = new(http.Protocols)
				b.tr.Protocols.SetUnencryptedHTTP2(true)
				b.tr.HTTP2 = &http.HTTP2Config{StrictMaxConcurrentRequests: true}
				b.tr.Dial = b.dialFrames(func(p *frames) {
					p.settings(3, 1)
					for n := 0; ; n++ {
						h, _, ok := p.next()
						for ok && h.Type != xhttp2.FrameHeaders {
							h, _, ok = p.next()
						}
						if !ok {
							return
						}
						if n < 2 {
							p.reset(h.StreamID, http2.ErrCodeRefusedStream)
						}
					}
				})
				ended := func(while, text string) {
					begun := time.Now()
					req, stop := end.begin(t.Context(), getRequest(t, "http://a"))
					done := make(chan error)
					go func() {
						_, err := b.tr.RoundTrip(req)
						done <- err
					}()
					synctest.Wait()
					stop(b.tr)
					wantEnd(t, while, <-done, end.err, text)
					if d := time.Since(begun); d > 0 {
						t.Errorf("%s: it took %v", while, d)
					}
				}
				ended("refused twice", "net/http: request canceled")
				ctx, cancel := context.WithCancel(t.Context())
				first := make(chan error)
				go func() {
					_, err := b.tr.RoundTrip(getRequest(t, "http://a").WithContext(ctx))
					first <- err
				}()
				synctest.Wait()
				ended("no room", "net/http: request canceled while waiting for connection")
				cancel()
				<-first
			})
		})
	}
}

// dialFrames is dialTo for a server that speaks HTTP/2.
func (b *bubble) dialFrames(say func(p *frames)) func(network, addr string) (net.Conn, error) {
	return func(string, string) (net.Conn, error) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		b.open.Add(1)
		go func() {
			defer func() { far.Close(); b.open.Add(-1) }()
			if p := newFrames(b.t, far, 0); p != nil {
				say(p)
			}
		}()
		return near, nil
	}
}

// A request that is ended before or while it looks for a connection fails at once.
func TestTransportEndedBefore(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.Dial = func(string, string) (net.Conn, error) { time.Sleep(time.Hour); return nil, errMine }
		var req *http.Request
		trace := &httptrace.ClientTrace{GetConn: func(string) { b.tr.CancelRequest(req) }}
		req = getRequest(t, "http://a").WithContext(httptrace.WithClientTrace(t.Context(), trace))
		begun := time.Now()
		_, err := b.tr.RoundTrip(req)
		wantEnd(t, "at once", err, nil, "net/http: request canceled while waiting for connection")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errMine)
		_, err = b.tr.RoundTrip(getRequest(t, "http://a").WithContext(ctx))
		wantEnd(t, "before", err, errMine, "")
		if d := time.Since(begun); d > 0 {
			t.Errorf("they took %v", d)
		}
		time.Sleep(2 * time.Hour)
	})
}

// CancelRequest ends a request even when it is called just as the request begins to wait for a connection.
func TestTransportCanceledAtAnyMoment(t *testing.T) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	for range 50 {
		tr := &nethttp.Transport{DialContext: dial}
		req := getRequest(t, "http://192.0.2.1/")
		done := make(chan error, 1)
		go func() {
			_, err := tr.RoundTrip(req)
			done <- err
		}()
		for over := false; !over; runtime.Gosched() {
			tr.CancelRequest(req)
			select {
			case err := <-done:
				over = true
				if err == nil || !strings.HasPrefix(err.Error(), "net/http: request canceled") {
					t.Error(err)
				}
			default:
			}
		}
		tr.Close()
	}
}

// When a request is ended, the part of the body that has arrived can be read, followed by the error. Ending a completed
// request has no effect.
func TestTransportEndedBody(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				addr := speak(t, func(w *wire) {
					for head := w.head(); head != ""; head = w.head() {
						if strings.Contains(head, "/over") {
							w.send(ok2)
							continue
						}
						w.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
						w.skip()
					}
				})
				tr := fresh()
				var conns []string
				over, stop := end.begin(t.Context(), getRequest(t, "http://"+addr+"/over"))
				roundTrip(t, tr, tracedConnOf(over, &conns))
				req, stopSecond := end.begin(t.Context(), getRequest(t, "http://"+addr))
				resp, err := tr.RoundTrip(tracedConnOf(req, &conns))
				if err != nil {
					t.Fatal(err)
				}
				stop(tr)
				b := make([]byte, 2)
				if _, err := io.ReadFull(resp.Body, b); string(b) != "he" || err != nil || (conns[0] == conns[1]) != wakes(t) {
					t.Errorf("got %q, %v on %v", b, err, conns)
				}
				stopSecond(tr)
				for range 2 {
					_, err = resp.Body.Read(b)
					wantEnd(t, "the body", err, end.err, "net/http: request canceled")
				}
				resp.Body.Close()
			})
		})
	}
}

// tracedConnOf is tracedConn for a request whose pointer must not change: it puts the trace into a context around the
// request's own.
func tracedConnOf(req *http.Request, conns *[]string) *http.Request {
	*req = *tracedConn(req, conns)
	return req
}

// http.Client tells its Timeout from other ends of a request, before the head and in the body.
func TestTransportTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c := &http.Client{Transport: b.tr, Timeout: time.Minute}
		_, err := c.Get("http://a/wait")
		var ne net.Error
		if !errors.As(err, &ne) || !ne.Timeout() || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "context deadline exceeded (Client.Timeout exceeded while awaiting headers)") {
			t.Errorf("got %v", err)
		}
		close(b.hold)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://a/", nil)
		time.Sleep(time.Hour)
		if _, err := c.Do(req); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "Client.Timeout") {
			t.Errorf("got %v", err)
		}
		if err := b.get("a", "/"); err != nil {
			t.Error(err)
		}
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.Dial = b.dialTo(func(w *wire) {
			w.head()
			w.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
			w.skip()
		})
		resp, err := (&http.Client{Transport: b.tr, Timeout: time.Minute}).Get("http://a")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		const want = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"
		if b, err := io.ReadAll(resp.Body); string(b) != "he" || err == nil || err.Error() != want {
			t.Errorf("got %q, %v", b, err)
		}
	})
}

// A request whose trace hook panics has ended, and its connection makes room for another.
func TestTransportHookPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.MaxConnsPerHost = 1
		for name, trace := range map[string]*httptrace.ClientTrace{
			"GotConn":              {GotConn: func(httptrace.GotConnInfo) { panic("hook") }},
			"WroteHeaders":         {WroteHeaders: func() { panic("hook") }},
			"GotFirstResponseByte": {GotFirstResponseByte: func() { panic("hook") }},
			"PutIdleConn":          {PutIdleConn: func(error) { panic("hook") }},
		} {
			func() {
				defer func() { _ = recover() }()
				_, _ = b.tr.RoundTrip(getRequest(t, "http://a/").WithContext(httptrace.WithClientTrace(t.Context(), trace)))
				t.Errorf("%s has not panicked", name)
			}()
			if nethttp.Runs(b.tr) {
				t.Errorf("%s: the request goes on", name)
			}
			if err := b.get("a", "/"); err != nil {
				t.Error(err)
			}
		}
	})
	inBubble(t, func(t *testing.T, b *bubble) {
		cc, err := b.tr.NewClientConn(t.Context(), "http", "a:80")
		if err != nil {
			t.Fatal(err)
		}
		defer cc.Close()
		trace := &httptrace.ClientTrace{PutIdleConn: func(error) { panic("hook") }}
		func() {
			defer func() { _ = recover() }()
			_, _ = cc.RoundTrip(getRequest(t, "http://a/").WithContext(httptrace.WithClientTrace(t.Context(), trace)))
		}()
		if n := cc.InFlight(); n != 0 || cc.Available() != 1 {
			t.Errorf("%d requests are in flight", n)
		}
	})
}

// ResponseHeaderTimeout counts from the end of the request.
func TestTransportHeaderTimeout1(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.ResponseHeaderTimeout = time.Minute
		r, w := io.Pipe()
		go func() {
			time.Sleep(time.Hour)
			w.Close()
		}()
		begun := time.Now()
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://a/wait", r)
		_, err := b.tr.RoundTrip(req)
		var ne net.Error
		//lint:ignore SA1019 net/http's says so
		if !errors.As(err, &ne) || !ne.Timeout() || !ne.Temporary() || err.Error() != "net/http: timeout awaiting response headers" {
			t.Errorf("got %v", err)
		}
		if d := time.Since(begun); d < time.Hour+time.Minute || d > time.Hour+time.Minute+time.Second {
			t.Errorf("it took %v", d)
		}
		close(b.hold)
	})
}

// The functions of a ClientTrace are called for a request over HTTP/1.1, in the expected order.
func TestTransportTrace1(t *testing.T) {
	addr := speak(t, func(w *wire) {
		for w.head() != "" {
			w.want("body")
			w.send("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")
			w.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000))
		}
	})
	var mu sync.Mutex
	var events []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, strings.ReplaceAll(s, addr, "ADDR"))
	}
	trace := &httptrace.ClientTrace{
		GetConn:              func(at string) { note("get " + at) },
		GotConn:              func(i httptrace.GotConnInfo) { note("got " + map[bool]string{false: "new", true: "used"}[i.WasIdle]) },
		WroteHeaderField:     func(key string, values []string) { note(key + "=" + strings.Join(values, ",")) },
		WroteHeaders:         func() { note("headers") },
		WroteRequest:         func(i httptrace.WroteRequestInfo) { note("request") },
		GotFirstResponseByte: func() { note("first") },
		Got1xxResponse:       func(int, textproto.MIMEHeader) error { note("1xx"); return nil },
		PutIdleConn: func(err error) {
			if note("put"); err != nil {
				t.Errorf("PutIdleConn got %v", err)
			}
		},
	}
	other := speak(t, func(w *wire) {
		for w.head() != "" {
			w.send(ok2)
		}
	})
	tr := new(nethttp.Transport)
	defer tr.Close()
	for _, want := range []string{
		"get ADDR got new Host=ADDR User-Agent=Go-http-client/1.1 Content-Length=4 X=1,2 Accept-Encoding=gzip headers request first 1xx read put",
		"get ADDR got used Host=ADDR User-Agent=Go-http-client/1.1 Content-Length=4 X=1,2 Accept-Encoding=gzip headers request first 1xx read put",
	} {
		mu.Lock()
		events = nil
		mu.Unlock()
		req, _ := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), "PUT", "http://"+addr, strings.NewReader("body"))
		req.Header["X"] = []string{"1", "2"}
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, tr, getRequest(t, "http://"+other)) // another request reuses the memory of this one
		note("read")
		io.Copy(io.Discard, resp.Body)
		mu.Lock()
		if got := strings.Join(events, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		mu.Unlock()
	}
}
