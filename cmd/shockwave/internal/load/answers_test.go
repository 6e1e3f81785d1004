package load

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

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
				if res.Requests == 0 || res.Errors != (Errors{}) || res.Statuses[c.status] != res.Requests {
					t.Errorf("%d requests, errors %+v, statuses %v", res.Requests, res.Errors, res.Statuses)
				}
				if c.ends != (res.Reconnects > 0) {
					t.Errorf("%d connections ended in good order", res.Reconnects)
				}
			})
		}
	}
}

// Three responses in a row mean the same in pieces of any size.
func TestAnswerReader(t *testing.T) {
	for _, c := range goodAnswers {
		if c.name == "until the end" {
			continue
		}
		other := strings.Replace(c.answer, "\r\n\r\n", "\r\nX: y\r\n\r\n", 1)
		stream := []byte(c.answer + c.answer + other)
		want := fmt.Sprintf("%d %d, ", c.status, bodyLength(c.method, c.answer))
		for size := 1; size <= len(stream); size++ {
			if got := readInPieces(t, c.method, stream, size); got != strings.Repeat(want, 3) {
				t.Fatalf("%s: pieces of %d: %q, want three times %q", c.name, size, got, want)
			}
		}
	}
}

// bodyLength returns how many bytes of body an answer of goodAnswers has.
func bodyLength(method, answer string) int {
	if method == "HEAD" || !strings.Contains(answer, "fine") && !strings.Contains(answer, "fi\r\n") {
		return 0
	}
	return len("fine")
}

// readInPieces gives stream to the reader so that size more bytes are there each time, and tells what it read.
func readInPieces(t *testing.T, method string, stream []byte, size int) (got string) {
	t.Helper()
	var a responseReader
	var known knownHead
	taken := 0
	for end := size; ; end = min(end+size, len(stream)) {
		piece := bytes.Clone(stream[taken:end]) // memory moves between two reads
		for {
			n, whole, err := a.read(piece, method, &known)
			if err != nil {
				t.Fatal(err)
			}
			taken += n
			piece = piece[n:]
			if !whole {
				break
			}
			got += fmt.Sprintf("%d %d, ", a.status, a.length)
		}
		if end == len(stream) {
			return got
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
		if res.Requests == 0 || res.Reconnects == 0 || res.Errors != (Errors{}) {
			t.Errorf("rate %v: %d requests, %d reconnects, errors %+v", rate, res.Requests, res.Reconnects, res.Errors)
		}
	}
}
