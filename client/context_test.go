package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// stuck is a client and a request that stop in a phase; there reports that they have reached it.
type stuck struct {
	cfg   client.Config
	req   client.Request
	there chan bool
}

// phases are the phases in which a request can wait.
func phases(t *testing.T) map[string]*stuck {
	all := map[string]*stuck{}
	at := func(name string, f func(s *stuck, there func())) {
		s := &stuck{there: make(chan bool, 10)}
		f(s, func() { s.there <- true })
		all[name] = s
	}
	at("dial", func(s *stuck, there func()) {
		s.req.URL = "http://a.test"
		s.cfg.NetDial = func(ctx context.Context, _, _ string) (net.Conn, error) { there(); <-ctx.Done(); return nil, ctx.Err() }
	})
	at("proxy", func(s *stuck, there func()) {
		s.req.URL = "https://a.test"
		s.cfg.Proxy = via(converse(t, func(_ int, p *peer) { p.head(); there(); p.rest() }))
	})
	at("handshake", func(s *stuck, there func()) {
		s.req.URL = strings.Replace(converse(t, func(_ int, p *peer) { p.body(1); there(); p.rest() }), "http", "https", 1)
	})
	at("place", func(s *stuck, there func()) {
		s.cfg.MaxConnsPerHost = 1
		s.cfg.Trace = &client.Trace{GetConn: func(string) { there() }}
		s.req.URL = converse(t, func(_ int, p *peer) { p.rest() })
	})
	at("head", func(s *stuck, there func()) {
		s.req.URL = converse(t, func(_ int, p *peer) { p.head(); there(); p.rest() })
	})
	at("half a head", func(s *stuck, there func()) {
		s.req.URL = converse(t, func(_ int, p *peer) {
			p.head()
			p.say("HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK\r\nA: ")
			there()
			p.rest()
		})
	})
	at("upload", func(s *stuck, there func()) {
		r, w := io.Pipe()
		t.Cleanup(func() { w.Close() })
		s.req = client.Request{Method: "PUT", Stream: r}
		s.req.URL = converse(t, func(_ int, p *peer) { p.head(); there(); p.rest() })
	})
	at("upload that is not read", func(s *stuck, there func()) {
		s.req = client.Request{Method: "PUT", Body: make([]byte, 32<<20)}
		hold := make(chan bool)
		s.req.URL = converse(t, func(_ int, p *peer) { p.head(); there(); <-hold })
		t.Cleanup(func() { close(hold) })
	})
	at("100 Continue", func(s *stuck, there func()) {
		s.cfg.ContinueTimeout = -1
		s.req = client.Request{Method: "PUT", Body: []byte("x"), ExpectContinue: true}
		s.req.URL = converse(t, func(_ int, p *peer) { p.head(); there(); p.rest() })
	})
	at("body", func(s *stuck, there func()) {
		s.req.URL = converse(t, func(_ int, p *peer) {
			p.head()
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome")
			there()
			p.rest()
		})
	})
	at("coded body", func(s *stuck, there func()) {
		half := coded(t, "gzip", []byte("some text"))[:12]
		s.req.URL = converse(t, func(_ int, p *peer) {
			p.head()
			p.say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 90\r\n\r\n" + string(half))
			there()
			p.rest()
		})
	})
	at("redirect", func(s *stuck, there func()) {
		s.req.URL = converse(t, func(n int, p *peer) {
			p.head()
			p.say("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
			p.head()
			there()
			p.rest()
		})
	})
	at("pause", func(s *stuck, there func()) {
		s.cfg.Retry = client.Retry{Max: 1, Wait: time.Hour, MaxWait: time.Hour}
		s.cfg.Trace = &client.Trace{Retry: func(int, int, error) { there() }}
		s.req.URL = converse(t, func(_ int, p *peer) { p.head(); p.say("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n"); p.rest() })
	})
	return all
}

// In each phase a request ends at once with the cause of its context, and the client stays usable.
func TestContextEverywhere(t *testing.T) {
	for name, s := range phases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
			c := newClient(t, s.cfg)
			why := errors.New("why")
			ctx, cancel := context.WithCancelCause(t.Context())
			if name == "place" { // the one connection is somebody else's
				other, leave := context.WithCancel(t.Context())
				taken := make(chan bool)
				go func() { defer close(taken); c.Do(other, &client.Request{URL: s.req.URL}) }()
				<-s.there
				for c.Stats().OpenedConnections == 0 {
					time.Sleep(time.Millisecond)
				}
				defer func() { leave(); <-taken }()
			}
			go func() { <-s.there; cancel(why) }()
			resp, err := c.Do(ctx, &s.req)
			if err == nil {
				_, err = resp.AppendBody(nil)
				if _, again := resp.Body().Read(make([]byte, 1)); !errors.Is(again, why) {
					t.Errorf("then %v", again)
				}
				resp.Close()
			}
			var e *client.Error
			if !errors.Is(err, why) || !errors.As(err, &e) || e.Timeout() {
				t.Error(err)
			}
		})
	}
}

// In each phase a request ends at its deadline or its Timeout, and both errors are timeouts.
func TestDeadlineEverywhere(t *testing.T) {
	for name, s := range phases(t) {
		t.Run(name, func(t *testing.T) {
			if name == "place" {
				t.Skip("as in TestContextEverywhere")
			}
			t.Parallel()
			s.cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
			c := newClient(t, s.cfg)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if err := fetch(c, ctx, &s.req); !isTimeout(err) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, client.ErrTimeout) {
				t.Errorf("deadline: %v", err)
			}
			if s.req.Stream != nil {
				return // which can be sent once
			}
			s.req.Timeout = 200 * time.Millisecond
			if err := fetch(c, t.Context(), &s.req); !isTimeout(err) || !errors.Is(err, client.ErrTimeout) {
				t.Errorf("timeout: %v", err)
			}
		})
	}
}

// fetch sends a request and reads the response.
func fetch(c *client.Client, ctx context.Context, req *client.Request) error {
	resp, err := c.Do(ctx, req)
	if err == nil {
		_, err = resp.AppendBody(nil)
		resp.Close()
	}
	return err
}

// With a context that has ended nothing is sent, and the body is closed.
func TestEndedBefore(t *testing.T) {
	c := newClient(t, client.Config{NetDial: noDial(t)})
	ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	stream := &closing{Reader: strings.NewReader("x")}
	if _, err := c.Do(ctx, &client.Request{Method: "PUT", URL: "http://a.test", Stream: stream}); !isTimeout(err) || !stream.closed.Load() {
		t.Errorf("%v, closed %v", err, stream.closed.Load())
	}
}
