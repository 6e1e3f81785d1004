package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
)

var insecure = &tls.Config{InsecureSkipVerify: true}

// Runs against net/http's server have no errors on either side.
func TestNetHTTP(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		cfg    Config
	}{
		{"one at a time", false, Config{}},
		{"pipelined", false, Config{Pipeline: 16}},
		{"TLS", true, Config{TLS: insecure}},
		{"TLS pipelined", true, Config{TLS: insecure, Pipeline: 4}},
		{"HEAD", false, Config{Method: "HEAD"}},
		{"a body", false, Config{Body: bytes.Repeat([]byte("x"), 1000), Pipeline: 3}},
		{"a large body", false, Config{Body: bytes.Repeat([]byte("x"), 1<<20)}},
		{"a large body over TLS", true, Config{TLS: insecure, Body: bytes.Repeat([]byte("x"), 1<<20)}},
		{"large bodies pipelined", false, Config{Body: bytes.Repeat([]byte("x"), 300<<10), Pipeline: 4}},
		{"with a rate", false, Config{Rate: 500}},
		{"large bodies with a rate", true, Config{TLS: insecure, Body: bytes.Repeat([]byte("x"), 300<<10), Rate: 60}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var strange atomic.Int64
			s := serveNetHTTP(t, c.secure, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return // cut off at the end of the run
				}
				if r.RequestURI != "/x?y=z" || !bytes.Equal(body, c.cfg.Body) || r.UserAgent() != "shockwave" {
					strange.Add(1)
				}
				w.Write(body)
			})
			c.cfg.Conns, c.cfg.Timeout = 4, time.Minute
			res := s.run(t, c.cfg)
			if res.Requests == 0 || res.Errors != (account.Errors{}) || res.Statuses[200] != res.Requests {
				t.Errorf("%d requests, errors %+v, statuses %v", res.Requests, res.Errors, res.Statuses)
			}
			if s.asked.Load()+4 < res.Requests || strange.Load() != 0 {
				t.Errorf("%d requests arrived, %d of them not as they were meant", s.asked.Load(), strange.Load())
			}
			if out := res.Requests * int64(len(c.cfg.Body)); res.BytesIn == 0 || res.BytesOut < out/2 {
				t.Errorf("%d bytes in, %d out", res.BytesIn, res.BytesOut)
			}
		})
	}
}

// A server that closes after every response costs no response.
func TestChurn(t *testing.T) {
	for _, cfg := range []Config{{}, {Rate: 200}} {
		s := serveNetHTTP(t, false, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			w.Write([]byte("fine"))
		})
		cfg.Conns = 4
		res := s.run(t, cfg)
		if res.Requests < 5 || res.Errors != (account.Errors{}) || res.Reconnects < res.Requests-4 {
			t.Errorf("rate %v: %d requests, %d reconnects, errors %+v", cfg.Rate, res.Requests, res.Reconnects, res.Errors)
		}
	}
}

// No connection resumes an earlier TLS session.
func TestFullHandshakes(t *testing.T) {
	var resumed atomic.Int64
	s := serveNetHTTP(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.TLS.DidResume {
			resumed.Add(1)
		}
		w.Header().Set("Connection", "close")
	})
	res := s.run(t, Config{TLS: insecure})
	if res.Requests < 5 || resumed.Load() > 0 {
		t.Errorf("%d requests, each on a connection of its own; %d resumed a session", res.Requests, resumed.Load())
	}
}

// With Connection: close each connection has one request, whatever Pipeline says.
func TestCloseAsked(t *testing.T) {
	s := play(t, func(p *peer) {
		p.request()
		p.say(fine)
	})
	cfg := Config{Conns: 2, Pipeline: 8}
	cfg.Header.Add("connection", "x, Close")
	if res := s.run(t, cfg); res.Requests < 5 || res.Errors != (account.Errors{}) || res.Reconnects < res.Requests-2 {
		t.Errorf("%d requests, %d reconnects, errors %+v", res.Requests, res.Reconnects, res.Errors)
	}
}

// A response that comes before a large body was sent is read.
func TestEarlyRefusal(t *testing.T) {
	s := play(t, func(p *peer) {
		p.in.Peek(1) // it has begun to ask
		p.site.note()
		p.say("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		p.Conn.(*net.TCPConn).CloseWrite()
		io.CopyN(io.Discard, p.in, 1<<20)
	})
	res := s.run(t, Config{Body: make([]byte, 8<<20)})
	if res.Errors.Status == 0 || res.Errors.Timeout != 0 {
		t.Errorf("errors %+v", res.Errors)
	}
}

// A response may come while the request is sent, both larger than any buffer.
func TestBothWrite(t *testing.T) {
	t.Parallel()
	s := serveNetHTTP(t, false, func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Content-Length", r.Header.Get("Content-Length"))
		io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r.Body}, make([]byte, 4<<10))
	})
	res := s.run(t, Config{Conns: 2, Body: make([]byte, 16<<20), Requests: 4})
	if res.Requests == 0 || res.Errors != (account.Errors{}) {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
}

// A cancelled run returns its result so far.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := play(t, func(p *peer) { p.answer(fine) })
	ctx, cancel := context.WithCancel(t.Context())
	ended := 0
	cfg := Config{URL: s.url, Conns: 2, Duration: time.Hour, Ended: func() { ended++ }}
	cfg.Progress = func(s account.Second) {
		if s.Requests == 0 && s.At < 30*time.Second {
			return // a busy machine: wait for a second with answers
		}
		if s.Requests == 0 || s.Open != 2 || s.P99 < s.P50 || s.P50 == 0 {
			t.Errorf("a second of %+v", s)
		}
		cancel()
	}
	res, err := Run(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if res.Requests == 0 || res.Errors != (account.Errors{}) || ended != 1 || res.Elapsed > time.Minute {
		t.Errorf("%d requests in %v, errors %+v, Ended called %d times", res.Requests, res.Elapsed, res.Errors, ended)
	}
}

// Without any connection there is no result.
func TestNoServer(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	if _, err := Run(t.Context(), Config{URL: u, Timeout: 50 * time.Millisecond, Conns: 3}); err == nil {
		t.Error("a run without a server")
	}
	secure := serveNetHTTP(t, true, func(http.ResponseWriter, *http.Request) {})
	_, err := Run(t.Context(), Config{URL: secure.url, Conns: 3})
	var unknown *tls.CertificateVerificationError
	if !errors.As(err, &unknown) {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
}

// A refused connection is tried again.
func TestServerComesLate(t *testing.T) {
	s := play(t, func(p *peer) { p.answer(fine) })
	cfg, tries := Config{URL: s.url, Conns: 2, Requests: 10, Duration: time.Minute}, atomic.Int64{}
	cfg.dial = func(ctx context.Context) (net.Conn, error) {
		if tries.Add(1) < 5 {
			return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:1") // which nobody listens on
		}
		return new(net.Dialer).DialContext(ctx, "tcp", s.url.Host)
	}
	res, err := Run(t.Context(), cfg)
	if err != nil || res.Requests == 0 || res.Errors != (account.Errors{}) {
		t.Errorf("after %d tries: %+v, %v", tries.Load(), res, err)
	}
}

// A server that never answers is named in the error.
func TestServerIsSilent(t *testing.T) {
	cfg := Config{URL: &url.URL{Scheme: "http", Host: "a"}, Requests: 1, Duration: time.Minute, Timeout: 50 * time.Millisecond}
	cfg.dial = func(ctx context.Context) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	const want = "load: no connection to a could be opened: nothing has come of it for 100ms"
	if _, err := Run(t.Context(), cfg); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// More connections than are opened at the same time are all used.
func TestManySeats(t *testing.T) {
	t.Parallel()
	s := play(t, func(p *peer) { p.answer(fine) })
	var open int
	cfg := Config{Conns: 300, Rate: 1200, Requests: 600, Duration: time.Minute, Progress: func(s account.Second) { open = s.Open }}
	res := s.run(t, cfg)
	if open != 300 || s.conns.Load() != 300 || res.Requests == 0 || res.Errors != (account.Errors{}) {
		t.Errorf("%d open, %d opened, %d requests, errors %+v", open, s.conns.Load(), res.Requests, res.Errors)
	}
}

// A configuration that cannot be run is refused before anything is opened.
func TestWrongConfig(t *testing.T) {
	good := &url.URL{Scheme: "http", Host: "localhost"}
	field := func(name, value string) (cfg Config) {
		cfg.URL = good
		cfg.Header.Add(name, value)
		return cfg
	}
	for want, cfg := range map[string]Config{
		"host":              {},
		"scheme":            {URL: &url.URL{Scheme: "ftp", Host: "localhost"}},
		"CONNECT":           {URL: good, Method: "CONNECT"},
		"method":            {URL: good, Method: "G ET"},
		"rate":              {URL: good, Rate: -1},
		"connections":       {URL: good, Conns: -1},
		"negative":          {URL: good, Timeout: -1},
		"over HTTP":         {URL: good, Message: message.Spec{Size: 1}},
		"with messages":     {URL: &url.URL{Scheme: "ws", Host: "h"}, Body: []byte("x")},
		"over HTTP/2":       {URL: &url.URL{Scheme: "ws", Host: "h"}, HTTP2: true},
		"several URLs":      {URL: &url.URL{Scheme: "tls", Host: "h:1"}, More: []*url.URL{{Scheme: "tls", Host: "h:1"}}},
		"no port":           {URL: &url.URL{Scheme: "tcp", Host: "h"}},
		"a path":            {URL: &url.URL{Scheme: "tcp", Host: "h:1", Path: "/x"}},
		"without WebSocket": {URL: &url.URL{Scheme: "tcp", Host: "h:1"}, Message: message.Spec{Prefixed: true}},
		"neither text":      {URL: &url.URL{Scheme: "ws", Host: "h"}, Message: message.Spec{Prefixed: true, Text: true}},
		"always held":       {URL: &url.URL{Scheme: "tcp", Host: "h:1"}, Same: true},
		"that cannot be":    {URL: &url.URL{Scheme: "tcp", Host: "h:1"}, Message: message.Spec{Size: -1}},
		"field":             field("a b", "c"),
		"Transfer-Encoding": field("Transfer-Encoding", "chunked"),
		"Content-Length":    field("Content-Length", "7"),
	} {
		if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %s: %v", want, err)
		}
	}
}
