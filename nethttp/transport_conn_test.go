package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// one is a server of net/http behind a ClientConn, in a bubble.
type one struct {
	*nethttp.ClientConn
	t     *testing.T
	tr    *nethttp.Transport
	stop  func() // ends the server
	hooks int    // calls of the state hook
	hold  chan struct{}
}

// onOne runs test with HTTP/1.1 and with HTTP/2, where the server allows 3 requests at once. Its handler responds with
// "held" when the test sends on hold, and otherwise at once.
func onOne(t *testing.T, test func(t *testing.T, o *one, most int)) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &one{t: t, hold: make(chan struct{})}
				l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
				s := &http.Server{HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 3}, Handler: http.HandlerFunc(o.serve)}
				o.tr = &nethttp.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.Dial() }}
				most := 1
				if version == "HTTP/2.0" {
					s.Protocols, o.tr.Protocols, most = h2c(), h2c(), 3
				}
				o.stop = func() { s.Close() }
				go s.Serve(l)
				var err error
				if o.ClientConn, err = o.tr.NewClientConn(t.Context(), "http", "192.0.2.1:80"); err != nil {
					t.Fatal(err)
				}
				o.SetStateHook(func(*nethttp.ClientConn) { o.hooks++ })
				synctest.Wait()
				o.hooks = 0
				test(t, o, most)
				o.Close()
				o.stop()
				synctest.Wait()
			})
		})
	}
}

func (o *one) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/held":
		select {
		case <-o.hold:
		case <-r.Context().Done():
		}
	case "/begun":
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	io.Copy(io.Discard, r.Body)
	io.WriteString(w, strings.Trim(r.URL.Path, "/"))
}

func (o *one) ask(path string) (*http.Response, error) {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), "GET", "http://example.com/"+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return o.RoundTrip(req)
}

// is checks what the connection reports about itself, and whether the hook has been called.
func (o *one) is(available, inFlight int, told, over bool) {
	o.t.Helper()
	synctest.Wait()
	if a, f, err := o.Available(), o.InFlight(), o.Err(); a != available || f != inFlight || (err != nil) != over {
		o.t.Errorf("got %d available, %d in flight, %v; want %d, %d, over %v", a, f, err, available, inFlight, over)
	}
	if (o.hooks > 0) != told {
		o.t.Errorf("the hook has been called %d times, want it %v", o.hooks, told)
	}
	o.hooks = 0
}

// A ClientConn counts a request from its beginning to the end of its response.
func TestClientConn(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		o.is(most, 0, false, false)
		resp, err := o.ask("begun")
		if err != nil {
			t.Fatal(err)
		}
		o.is(most-1, 1, false, false)
		resp.Body.Close()
		if most == 1 {
			o.is(0, 0, true, true)
			return
		}
		o.is(most, 0, true, false)
		for range 5 {
			if resp, err = o.ask("now"); err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(resp.Body); string(b) != "now" || err != nil {
				t.Errorf("got %q, %v", b, err)
			}
			o.tr.CloseIdleConnections() // this does not close it
		}
		o.is(most, 0, true, false)
	})
}

// A reservation is used by the next request, and returned if that request is refused.
func TestClientConnReserve(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		for i := range most {
			if err := o.Reserve(); err != nil {
				t.Fatal(err)
			}
			o.is(most-i-1, i+1, false, false)
		}
		if o.Reserve() == nil {
			t.Error("there was room for one more")
		}
		if _, err := o.RoundTrip(&http.Request{}); err == nil {
			t.Error("a request without a URL was sent")
		}
		o.is(1, most-1, true, false)
		ended, end := context.WithCancel(t.Context())
		end()
		for range most - 1 {
			if _, err := o.RoundTrip((&http.Request{}).WithContext(ended)); err == nil {
				t.Error("a request without a URL was sent")
			}
		}
		o.is(most, 0, most > 1, false)
		o.Release() // nothing is reserved
		o.is(most, 0, false, false)
		if err := o.Reserve(); err != nil {
			t.Error(err)
		}
		resp, err := o.ask("now")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		o.is(most, 0, true, false)
	})
}

// A request that finds no room waits until there is room, its context ends, or the connection ends.
func TestClientConnWaits(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		answers := make(chan error, most+3)
		held := func() {
			resp, err := o.ask("held")
			if err == nil {
				io.Copy(io.Discard, resp.Body)
			}
			answers <- err
		}
		for range most + 2 {
			go held()
		}
		o.is(0, most, false, false)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "POST", "http://example.com/", io.NopCloser(strings.NewReader("x")))
		if _, err := o.RoundTrip(req); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		for range 2 {
			o.hold <- struct{}{}
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		o.is(0, most, false, false)
		go held()
		synctest.Wait()
		o.Close()
		for range most + 1 {
			if err := <-answers; err == nil {
				t.Error("a request got a response after the end")
			}
		}
		o.is(0, 0, true, true)
		if _, err := o.ask("now"); err == nil || o.Reserve() == nil {
			t.Error("a closed connection takes requests")
		}
	})
}

// Close ends the wait of other requests, also while an open response still uses the connection.
func TestClientConnCloseTellsWaiters(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		var held []*http.Response
		for range most {
			resp, err := o.ask("begun")
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, resp)
		}
		waited := make(chan error)
		go func() { _, err := o.ask("now"); waited <- err }()
		o.is(0, most, false, false)
		o.Close()
		if err := <-waited; err == nil {
			t.Error("it has a response")
		}
		o.is(0, 0, true, true)
		for _, resp := range held {
			resp.Body.Close()
		}
	})
}

// When a server ends an idle connection, Err says so, and no other connection is opened.
func TestClientConnGone(t *testing.T) {
	onOne(t, func(t *testing.T, o *one, most int) {
		time.Sleep(time.Second)
		o.stop()
		time.Sleep(time.Second)
		o.is(0, 0, true, true)
		if err := o.Err(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := o.ask("now"); err == nil {
			t.Error("there was a response")
		}
		o.hooks = 0
		o.SetStateHook(nil)
		o.Close()
		synctest.Wait()
		if o.hooks > 0 {
			t.Error("a hook that was taken away has been called")
		}
	})
}

// NewClientConn fails for an address that cannot be dialled, and closes a connection that comes after its context has
// ended.
func TestNewClientConnFails(t *testing.T) {
	tr := new(nethttp.Transport)
	for _, at := range []struct{ scheme, address string }{{"ftp", "192.0.2.1:80"}, {"http", "192.0.2.1"}} {
		if cc, err := tr.NewClientConn(t.Context(), at.scheme, at.address); err == nil {
			t.Errorf("%v: got %v", at, cc)
		}
	}
	lost := &nethttp.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, errMine }}
	lost.Dial = func(string, string) (net.Conn, error) { return nil, net.ErrClosed }
	if cc, err := lost.NewClientConn(t.Context(), "http", "192.0.2.1:80"); err != errMine {
		t.Errorf("got %v, %v", cc, err)
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		tr := &nethttp.Transport{Dial: func(string, string) (net.Conn, error) {
			time.Sleep(time.Hour)
			return near, nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := tr.NewClientConn(ctx, "http", "192.0.2.1:80"); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		if _, err := far.Read(make([]byte, 1)); err == nil {
			t.Error("the connection that came too late is open")
		}
	})
}

// The methods of a ClientConn wait while its lock is held.
func TestClientConnLocked(t *testing.T) {
	addr := speak(t, func(w *wire) { w.skip() })
	tr := new(nethttp.Transport)
	defer tr.Close()
	cc, err := tr.NewClientConn(t.Context(), "http", addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(){
		"Available":    func() { cc.Available() },
		"InFlight":     func() { cc.InFlight() },
		"Err":          func() { _ = cc.Err() },
		"Reserve":      func() { _ = cc.Reserve() },
		"Release":      cc.Release,
		"SetStateHook": func() { cc.SetStateHook(nil) },
	} {
		done := make(chan struct{})
		nethttp.Holding(cc, func() {
			go func() { defer close(done); call() }()
			select {
			case <-done:
				t.Errorf("%s does not wait", name)
			case <-time.After(10 * time.Millisecond):
			}
		})
		wiretest.Within(t, name, done)
	}
}
