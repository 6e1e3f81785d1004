package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// peer is the server's end of one connection in a conversation that a test has written down.
type peer struct {
	net.Conn
	in    *bufio.Reader
	index int // of the connection, from 0
	site  *site
}

// request reads one request and its body; false when there is none. It renews the connection's deadline: how long a run takes
// is the machine's affair.
func (p *peer) request() bool {
	p.SetDeadline(time.Now().Add(30 * time.Second))
	req, err := http.ReadRequest(p.in)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	if err != nil {
		return false
	}
	p.site.note()
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

// site is a server.
type site struct {
	url    *url.URL
	asked  atomic.Int64 // requests that have arrived
	conns  atomic.Int64
	target atomic.Int64  // how many requests a run without a Duration waits for, whatever time that takes
	enough chan struct{} // closed when they have arrived
}

func newSite() *site { return &site{enough: make(chan struct{})} }

// note counts a request.
func (s *site) note() {
	if s.asked.Add(1) == s.target.Load() {
		close(s.enough)
	}
}

// playOn serves each connection of l as talk says, and then closes it.
func playOn(t *testing.T, l net.Listener, talk func(p *peer)) *site {
	t.Helper()
	s := newSite()
	var busy sync.WaitGroup
	busy.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			nc.SetDeadline(time.Now().Add(30 * time.Second))
			p := &peer{Conn: nc, in: bufio.NewReader(nc), index: int(s.conns.Add(1) - 1), site: s}
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
func play(t *testing.T, talk func(p *peer)) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := playOn(t, l, talk)
	s.url = &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	return s
}

// serveNetHTTP serves with net/http until the test is over.
func serveNetHTTP(t *testing.T, secure bool, h http.HandlerFunc) *site {
	t.Helper()
	s := newSite()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h(w, r)
		s.note()
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	if server.EnableHTTP2 = true; secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	var err error
	if s.url, err = url.Parse(server.URL + "/x?y=z"); err != nil {
		t.Fatal(err)
	}
	return s
}

// serveTLS serves with net/http over TLS with these protocols by ALPN, if any.
func serveTLS(t *testing.T, h http.HandlerFunc, protocols ...string) *site {
	t.Helper()
	s := newSite()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{NextProtos: protocols}
	if protocols == nil {
		server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
		server.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			plain := server.TLS.Clone()
			plain.NextProtos = nil
			return plain, nil
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	s.url, _ = url.Parse(server.URL)
	return s
}

// run drives cfg, on one connection if it does not say otherwise.
func (s *site) run(t *testing.T, cfg Config) *account.Result {
	t.Helper()
	cfg.URL = s.url
	if cfg.Conns == 0 {
		cfg.Conns = 1
	}
	return s.drive(t, cfg, Run)
}

// scheduled is run, for cfg without errors. With a rate, each request that was due was answered, or is in flight, or was not
// sent.
func (s *site) scheduled(t *testing.T, cfg Config) *account.Result {
	t.Helper()
	var counting, started time.Time
	cfg.URL, cfg.Conns = s.url, max(cfg.Conns, 1)
	cfg.Began, cfg.started = func() { counting = time.Now() }, func() { started = time.Now() }
	return s.drive(t, cfg, func(ctx context.Context, cfg Config) (*account.Result, error) {
		res, err := Run(ctx, cfg)
		if err != nil {
			return nil, err
		}
		late := started.Sub(counting) // the schedule begins after counting does
		most, least := cfg.Rate*res.Elapsed.Seconds()+1, cfg.Rate*(res.Elapsed-late).Seconds()-1
		if got := float64(res.Requests + res.Unanswered + res.Unsent); cfg.Rate > 0 && (got > most || got < least) {
			t.Errorf("%v requests in %v from %v on, want %.1f to %.1f", got, res.Elapsed, late, least, most)
		}
		return res, nil
	})
}

// drive has run drive cfg until enough was asked, or for cfg.Duration.
func (s *site) drive(t *testing.T, cfg Config, run func(context.Context, Config) (*account.Result, error)) *account.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if cfg.Duration == 0 && cfg.Requests > 0 {
		cfg.Duration = time.Minute
	}
	if cfg.Duration == 0 {
		cfg.Duration = time.Minute
		s.target.Store(10 + 2*int64(cfg.Conns*max(cfg.Pipeline, 1))) // more than can be in flight
		go func() {
			select {
			case <-s.enough:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	res, err := run(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, cfg, res)
	return res
}

// balance checks what holds of every result.
func balance(t *testing.T, cfg Config, res *account.Result) {
	t.Helper()
	var statuses, requests, errors int64
	for _, n := range res.Statuses {
		statuses += n
	}
	if CarriesMessages(cfg.URL) { // which have no status
		statuses = res.Latency.TotalCount()
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
func pipes(t *testing.T, cfg Config, split wiretest.Split, talk func(p *peer)) *account.Result {
	t.Helper()
	l := wiretest.Listen(wiretest.Config{}, wiretest.Config{Split: split})
	s := playOn(t, l, talk)
	cfg.Conns, cfg.dial = 2, func(context.Context) (net.Conn, error) { return l.Dial() }
	if cfg.URL == nil {
		cfg.URL = &url.URL{Scheme: "http", Host: "pipe"}
	}
	return s.drive(t, cfg, Run)
}
