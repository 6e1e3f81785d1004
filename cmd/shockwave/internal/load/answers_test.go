package load

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// goodAnswers are answers of many shapes with nothing wrong in them.
var goodAnswers = []struct {
	name   string
	method string
	answer string
	status int
	ends   bool // the server closes the connection after it
}{
	{"a length", "GET", fine, 200, false},
	{"no byte", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, false},
	{"chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2;x=y\r\nne\r\n0\r\n\r\n", 200, false},
	{"trailers", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\nDigest: x\r\nTook: 1\r\n\r\n", 200, false},
	{"interim answers", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + fine, 200, false},
	{"the head alone", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", 200, false},
	{"no content", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, false},
	{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", 304, false},
	{"elsewhere", "GET", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, false},
	{"goodbye", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine", 200, true},
	{"an old server", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine", 200, true},
	{"until the end", "GET", "HTTP/1.1 200 OK\r\n\r\nfine", 200, true},
}

// Each kind of response is recognized, whole and byte by byte, and none is lost at the end of a connection.
func TestAnswers(t *testing.T) {
	for _, c := range goodAnswers {
		for name, split := range map[string]wiretest.Split{"whole": nil, "byte by byte": wiretest.EveryByte} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				res := pipes(t, Config{Method: c.method}, split, func(p *peer) {
					for p.request() {
						p.say(c.answer)
						if c.ends {
							return
						}
					}
				})
				if res.Requests == 0 || res.Errors != (account.Errors{}) || res.Statuses[c.status] != res.Requests {
					t.Errorf("%d requests, errors %+v, statuses %v", res.Requests, res.Errors, res.Statuses)
				}
				if c.ends != (res.Reconnects > 0) {
					t.Errorf("%d connections ended in good order", res.Reconnects)
				}
			})
		}
	}
}

// Bytes that answer no request are not taken for the next response.
func TestUnaskedAnswer(t *testing.T) {
	s := play(t, func(p *peer) {
		if p.index == 0 {
			p.request()
			p.say(fine + fine)
			p.request()
			p.request() // until it is gone
			return
		}
		p.answer(fine)
	})
	res := s.run(t, Config{})
	if res.Errors.Protocol != 1 || res.Requests < 2 {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
}

// Requests behind a response that closes the connection are sent again elsewhere, at their place in the schedule, and
// are no errors.
func TestGoodbyePipelined(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0, 500} {
		s := play(t, func(p *peer) {
			p.request()
			p.say(fine)
			p.request()
			p.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine")
			p.Conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, p.in) // closing at once would reset the connection
		})
		res := s.scheduled(t, Config{Pipeline: 8, Conns: 3, Rate: rate, Requests: 300, Duration: time.Minute})
		if res.Requests == 0 || res.Reconnects == 0 || res.Errors != (account.Errors{}) {
			t.Errorf("rate %v: %d requests, %d reconnects, errors %+v", rate, res.Requests, res.Reconnects, res.Errors)
		}
	}
}
