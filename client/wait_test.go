package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// isTimeout reports whether err is an error of ours that says that it is a timeout.
func isTimeout(err error) bool {
	var e *client.Error
	var ne net.Error
	return errors.As(err, &e) && e.Timeout() && errors.As(err, &ne) && ne.Timeout()
}

// Each wait has an end, and the error says what the wait was for.
func TestTimeouts(t *testing.T) {
	const short = 20 * time.Millisecond
	silent := converse(t, func(_ int, p *peer) { p.rest() })
	half := converse(t, func(_ int, p *peer) { p.head(); p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"); p.rest() })
	endless := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	for name, tc := range map[string]struct {
		cfg  client.Config
		req  client.Request
		want string
	}{
		"dial":          {client.Config{DialTimeout: short, NetDial: endless}, client.Request{URL: "http://a.test"}, "opening a connection"},
		"connection":    {client.Config{WaitTimeout: short, NetDial: endless}, client.Request{URL: "http://a.test"}, "waiting for a connection"},
		"handshake":     {client.Config{TLSHandshakeTimeout: short}, client.Request{URL: "https" + strings.TrimPrefix(silent, "http")}, "handshake"},
		"head":          {client.Config{HeadTimeout: short}, client.Request{URL: silent}, "awaiting response headers"},
		"head of h2":    {client.Config{HeadTimeout: short, Protocol: client.HTTP2}, client.Request{URL: silent}, "awaiting response headers"},
		"upload's head": {client.Config{HeadTimeout: short}, client.Request{Method: "POST", URL: silent, Stream: io.MultiReader(strings.NewReader("x"))}, "awaiting response headers"},
		"body":          {client.Config{BodyTimeout: short}, client.Request{URL: half}, "reading the response's body"},
		"whole":         {client.Config{Timeout: short}, client.Request{URL: silent}, "taken too long"},
		"own":           {client.Config{}, client.Request{URL: silent, Timeout: short}, "taken too long"},
		"own body":      {client.Config{}, client.Request{URL: half, Timeout: short}, "taken too long"},
		"own, shorter":  {client.Config{Timeout: time.Hour}, client.Request{URL: silent, Timeout: short}, "taken too long"},
	} {
		c := newClient(t, tc.cfg)
		_, _, err := do(c, &tc.req)
		if !isTimeout(err) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(tc.want, "too long") && (!errors.Is(err, client.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded)) {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
	}
}

// A negative timeout is none, and replaces the client's.
func TestNoTimeout(t *testing.T) {
	url := converse(t, func(_ int, p *peer) { p.head(); time.Sleep(30 * time.Millisecond); p.say(ok("late")) })
	c := newClient(t, client.Config{Timeout: time.Millisecond, HeadTimeout: -1, BodyTimeout: -1, DialTimeout: -1, TLSHandshakeTimeout: -1, WaitTimeout: -1, IdleTimeout: -1})
	if _, body, err := do(c, &client.Request{URL: url, Timeout: -1}); body != "late" || err != nil {
		t.Errorf(`got %q, %v; want "late"`, body, err)
	}
}

// A timeout has no effect after its request.
func TestTimeoutEndsWithResponse(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") })
	c := newClient(t, client.Config{Timeout: time.Hour})
	for range 100 {
		if _, body, err := do(c, &client.Request{URL: url}); body != "fine" || err != nil {
			t.Fatalf(`got %q, %v; want "fine"`, body, err)
		}
	}
	if s := c.Stats(); s.OpenedConnections != 1 {
		t.Errorf("got %+v, want OpenedConnections 1", s)
	}
}

// The limits of connections hold, and requests wait in order.
func TestLimits(t *testing.T) {
	hold, arrived := make(chan bool), make(chan bool, 10)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { arrived <- true; <-hold })
	for _, cfg := range []client.Config{{MaxConnsPerHost: 2}, {MaxConns: 2}} {
		c := newClient(t, cfg)
		done := make(chan error)
		for range 6 {
			go func() { _, _, err := do(c, &client.Request{URL: url}); done <- err }()
		}
		for c.Stats().Waited < 6 { // also those that the scheduler lets begin last
			time.Sleep(time.Millisecond)
		}
		for range 3 {
			for range 2 {
				<-arrived
			}
			if s := c.Stats(); s.OpenConnections != 2 || cfg.MaxConnsPerHost > 0 && s.OpenedConnections != 2 {
				t.Errorf("got %+v; want OpenConnections 2", s)
			}
			for range 2 {
				hold <- true
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		}
		if s := c.Stats(); s.Waited < 6 || s.Requests != 6 {
			t.Errorf("got %+v; want Waited 6, Requests 6", s)
		}
		c.Close()
	}
}

// Idle connections are kept up to the limits of number and time.
func TestIdle(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	for name, tc := range map[string]struct {
		cfg  client.Config
		want int64
	}{
		"default":   {client.Config{}, 4},
		"per host":  {client.Config{MaxIdleConnsPerHost: 2}, 2},
		"in all":    {client.Config{MaxIdleConns: 3}, 3},
		"none kept": {client.Config{DisableKeepAlive: true}, 0},
	} {
		c := newClient(t, tc.cfg)
		if err := c.Warmup(4, url); err != nil {
			t.Fatal(err)
		}
		if s := c.Stats(); s.IdleConnections != tc.want || s.OpenedConnections != 4 || s.Requests != 0 {
			t.Errorf("%s: got %+v", name, s)
		}
		if _, _, err := do(c, &client.Request{URL: url}); err != nil {
			t.Error(err)
		}
		c.CloseIdle()
		if s := c.Stats(); s.IdleConnections != 0 {
			t.Errorf("%s: got %+v", name, s)
		}
	}
	c := newClient(t, client.Config{IdleTimeout: 10 * time.Millisecond})
	if err := c.Warmup(3, url); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); c.Stats().OpenConnections > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %+v; want these figures to settle", c.Stats())
		}
	}
}

// Warmup opens the connections that later requests use, one for HTTP/2, and returns errors.
func TestWarmup(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") })
		c := newClient(t, client.Config{Protocol: p})
		if err := c.Warmup(-1, url); err != nil && p == client.HTTP1 {
			t.Fatal(err)
		}
		c.CloseIdle()
		c = newClient(t, client.Config{Protocol: p})
		if err := c.Warmup(3); err != nil {
			t.Fatal(err)
		}
		if err := c.Warmup(3, url, url); err != nil {
			t.Fatal(err)
		}
		want := map[client.Protocol]int64{client.HTTP1: 3, client.HTTP2: 1}[p]
		if s := c.Stats(); s.OpenedConnections != want {
			t.Errorf("got %+v, want OpenedConnections %v", s, want)
		}
		if _, body, err := do(c, &client.Request{URL: url}); body != "fine" || err != nil {
			t.Errorf(`got %q, %v; want "fine"`, body, err)
		}
		if s := c.Stats(); s.OpenedConnections != want {
			t.Errorf("got %+v, want OpenedConnections %v", s, want)
		}
		for _, bad := range []string{"", "http://a b/", "http://127.0.0.1:1"} {
			var e *client.Error
			if err := c.Warmup(2, bad); !errors.As(err, &e) {
				t.Errorf("%s: %v", bad, err)
			}
		}
	})
}

// Request.Close closes the connection after the request.
func TestCloseAfterOne(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {})
		c := newClient(t, client.Config{Protocol: p})
		for range 3 {
			if _, _, err := do(c, &client.Request{URL: url, Close: true}); err != nil {
				t.Error(err)
			}
		}
		if s := c.Stats(); s.OpenedConnections != 3 {
			t.Errorf("got %+v, want OpenedConnections 3", s)
		}
	})
}
