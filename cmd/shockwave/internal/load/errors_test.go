package load

import (
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// bodyCut begins an answer that should have four bytes.
const bodyCut = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfi"

// One fault of a server is counted once.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong string // the second answer; the connection is closed after it
		want  account.Errors
	}{
		{"a server error", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", account.Errors{Status: 1}},
		{"a client's error", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", account.Errors{Status: 1}},
		{"a shorter body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nfin", account.Errors{Length: 1}},
		{"a longer body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nfine!", account.Errors{Length: 1}},
		{"a shorter body in chunks",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nfin\r\n0\r\n\r\n", account.Errors{Length: 1}},
		{"a body cut short", bodyCut, account.Errors{Length: 1}},
		{"chunks cut short", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n", account.Errors{Length: 1}},
		{"a head cut short", "HTTP/1.1 200 OK\r\nConte", account.Errors{Closed: 1}},
		{"no answer", "", account.Errors{Closed: 1}},
		{"no HTTP", "220 mail.example.com ESMTP\r\n", account.Errors{Protocol: 1}},
		{"no chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfine\r\n", account.Errors{Protocol: 1}},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nfine", account.Errors{Protocol: 1}},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", account.Errors{Protocol: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) {
				if p.index == 0 {
					p.request()
					p.say(fine)
					p.request()
					p.say(c.wrong)
					return
				}
				p.answer(fine)
			})
			res := s.run(t, Config{Same: true})
			if res.Errors != c.want {
				t.Errorf("errors %+v, want %+v", res.Errors, c.want)
			}
			if res.Requests < 2 {
				t.Errorf("%d requests: the run did not go on", res.Requests)
			}
			if sent := res.Requests + res.Errors.Total() + res.Unanswered; s.asked.Load() > sent {
				t.Errorf("%d requests arrived, %d are accounted for", s.asked.Load(), sent)
			}
		})
	}
}

// Each request in flight counts once when a connection breaks.
func TestErrorsPipelined(t *testing.T) {
	for _, c := range []struct {
		name, wrong string
		want        account.Errors
	}{
		{"cut short", bodyCut, account.Errors{Length: 1, Closed: 2}},
		{"no HTTP", "what?\r\n", account.Errors{Protocol: 1, Closed: 2}},
		{"closed", "", account.Errors{Closed: 3}},
		{"one answer too many", strings.Repeat(fine, 4), account.Errors{Protocol: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, func(p *peer) {
				for range 3 {
					p.request()
				}
				if p.index == 0 {
					p.say(c.wrong)
					return
				}
				p.say(strings.Repeat(fine, 3))
				p.answer(fine)
			})
			if res := s.run(t, Config{Pipeline: 3}); res.Errors != c.want {
				t.Errorf("errors %+v, want %+v", res.Errors, c.want)
			}
		})
	}
}

// An error status does not open a new connection.
func TestStatusKeepsTheConnection(t *testing.T) {
	s := play(t, func(p *peer) { p.answer("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\nno") })
	res := s.run(t, Config{})
	if res.Requests != 0 || res.Errors.Status == 0 || res.Errors.Status != res.Statuses[500] {
		t.Errorf("%d requests, errors %+v, statuses %v", res.Requests, res.Errors, res.Statuses)
	}
	if n := s.conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A response that does not come in time ends its connection, and counts for each request behind it.
func TestTimeout(t *testing.T) {
	t.Parallel()
	s := play(t, func(p *peer) {
		if p.index > 0 {
			p.answer(fine)
		}
		p.request()
		p.request()
		p.request() // until it is gone
	})
	res := s.run(t, Config{Pipeline: 2, Timeout: 500 * time.Millisecond})
	if res.Errors.Timeout < 2 || res.Errors.Total() != res.Errors.Timeout || res.Requests == 0 {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
}

// A server that accepts and closes is dialled at a bounded pace.
func TestBoundedPace(t *testing.T) {
	s := play(t, func(*peer) {})
	res := s.run(t, Config{Duration: 300 * time.Millisecond})
	// After 10, 30, 70, 150 ms, and so on.
	if most := 2 + int64(res.Elapsed/(50*time.Millisecond)); s.conns.Load() > most {
		t.Errorf("%d connections in %v", s.conns.Load(), res.Elapsed)
	}
	if res.Requests != 0 || res.Errors.Closed+res.Reconnects == 0 {
		t.Errorf("%d requests, %d reconnects, errors %+v", res.Requests, res.Reconnects, res.Errors)
	}
}
