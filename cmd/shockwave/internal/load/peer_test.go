package load

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wiretest"
)

// peer is the server's end of one connection in a conversation that a test has written down.
type peer struct {
	net.Conn
	in    *bufio.Reader
	index int           // of the connection, from 0
	asked *atomic.Int64 // requests that arrived on all connections
}

// request reads one request and its body; false when there is none.
func (p *peer) request() bool {
	req, err := http.ReadRequest(p.in)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	if err != nil {
		return false
	}
	p.asked.Add(1)
	return true
}

func (p *peer) say(s string) { io.WriteString(p, s) }

// answer answers every request in the same way until the connection ends.
func (p *peer) answer(s string) {
	for p.request() {
		p.say(s)
	}
}

// fine is an answer that nobody has anything against.
const fine = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"

// script is a server that treats each connection as talk says, and then closes it.
type script struct {
	url   *url.URL
	asked atomic.Int64
	conns atomic.Int64
}

func playOn(t *testing.T, l net.Listener, talk func(p *peer)) *script {
	t.Helper()
	s := &script{}
	var busy sync.WaitGroup
	busy.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			nc.SetDeadline(time.Now().Add(30 * time.Second))
			p := &peer{Conn: nc, in: bufio.NewReader(nc), index: int(s.conns.Add(1) - 1), asked: &s.asked}
			busy.Go(func() {
				defer nc.Close()
				talk(p)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		busy.Wait()
	})
	return s
}

// play is playOn loopback.
func play(t *testing.T, talk func(p *peer)) *script {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := playOn(t, l, talk)
	s.url = &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	return s
}

// run drives cfg for a moment, on one connection if it does not say otherwise.
func (s *script) run(t *testing.T, cfg Config) *Result {
	t.Helper()
	cfg.URL = s.url
	if cfg.Conns == 0 {
		cfg.Conns = 1
	}
	return run1(t, cfg)
}

func run1(t *testing.T, cfg Config) *Result {
	t.Helper()
	if cfg.Duration == 0 {
		cfg.Duration = 200 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	res, err := Run(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, cfg, res)
	return res
}

// balance checks what holds of every result.
func balance(t *testing.T, cfg Config, res *Result) {
	t.Helper()
	var statuses, requests, errors int64
	for _, n := range res.Statuses {
		statuses += n
	}
	if statuses != res.Latency.TotalCount() {
		t.Errorf("%d answers by status, %d latencies", statuses, res.Latency.TotalCount())
	}
	if statuses < res.Requests || statuses > res.Requests+res.Errors.Total() {
		t.Errorf("%d whole answers, %d as expected, errors %+v", statuses, res.Requests, res.Errors)
	}
	for _, s := range res.Seconds {
		requests += s.Requests
		errors += s.Errors
	}
	if requests != res.Requests || errors != res.Errors.Total() {
		t.Errorf("the seconds have %d requests and %d errors, the result %d and %d",
			requests, errors, res.Requests, res.Errors.Total())
	}
	if most := int64(max(cfg.Conns, 1) * max(cfg.Pipeline, 1)); res.Unanswered < 0 || res.Unanswered > most {
		t.Errorf("%d unanswered requests where %d can be in flight", res.Unanswered, most)
	}
}

// pipes runs cfg over connections in memory whose client's end reads as split says.
func pipes(t *testing.T, cfg Config, split wiretest.Split, talk func(p *peer)) *Result {
	t.Helper()
	l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Split: split})
	s := playOn(t, l, talk)
	cfg.URL, cfg.Conns, cfg.Duration = &url.URL{Scheme: "http", Host: "pipe"}, 2, 100*time.Millisecond
	cfg, err := cfg.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	req, err := newRequest(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(cfg, req)
	r.opener.dial = func(context.Context) (net.Conn, error) { return l.Dial() }
	res, err := r.drive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	balance(t, cfg, res)
	if s.asked.Load() == 0 {
		t.Error("nobody asked anything")
	}
	return res
}
