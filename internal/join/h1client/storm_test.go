package h1client_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Over connections that are cut at random bytes a body is right or an error, and every connection ends.
func TestStorm(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			eng := engine(k, nil)
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			heard := 0
			for n := range rounds {
				heard += storm(t, k, eng, rng, fmt.Sprint(n))
			}
			if heard < rounds/2 {
				t.Errorf("only %d responses in %d rounds", heard, rounds)
			}
			wiretest.Eventually(t, "all connections to end", func() bool { return eng.Stats().Open == 0 })
		})
	}
}

// storm is the life of one connection. It returns how many responses came whole.
func storm(t *testing.T, k kind, eng *netconn.Engine, rng *rand.Rand, name string) (heard int) {
	near, far := ends(t, k)
	over := make(chan *h1client.Conn, 2)
	c, err := h1client.New(eng, near, nil, &h1client.Config{}, nil, func(c *h1client.Conn) { over <- c })
	if err != nil {
		t.Fatal(err)
	}
	s := &stormServer{nc: far, name: name, left: rng.IntN(4000), rng: rand.New(rand.NewPCG(rng.Uint64(), 1))}
	served := later(func() bool { s.serve(); return true })
	var late sync.WaitGroup // may cancel an exchange when it is over
	defer late.Wait()
	for n := 0; n < 20 && c.Reusable() && c.Fresh(); n++ {
		if stormExchange(t, c, rng, &late, fmt.Sprintf("%s.%d", name, n)) {
			heard++
		}
		if rng.IntN(4) == 0 && c.Reusable() {
			stop := c.Watch(time.Minute, c.Close)
			if rng.IntN(2) == 0 {
				stop()
			}
		}
	}
	c.Close()
	wiretest.Within(t, "the end", over)
	wiretest.Within(t, "the server to see it", served)
	if len(over) > 0 {
		t.Error("the function was called twice")
	}
	return heard
}

// stormExchange asks for id and reports whether the response came whole.
func stormExchange(t *testing.T, c *h1client.Conn, rng *rand.Rand, late *sync.WaitGroup, id string) bool {
	chunked, sends := rng.IntN(2) == 0, rng.IntN(3) == 0
	framing := "Content-Length: 0\r\n"
	if sends {
		framing = "Transfer-Encoding: chunked\r\n"
	}
	head := fmt.Sprintf("POST /%s HTTP/1.1\r\nHost: a\r\nChunked: %v\r\n%s\r\n", id, chunked, framing)
	if c.Begin("POST", []byte(head), nil, sends, true) != nil {
		return false
	}
	number := c.Served()
	var sender sync.WaitGroup
	if sends {
		size := rng.IntN(100_000)
		sender.Go(func() {
			if c.SendPart(make([]byte, size), false) == nil {
				_ = c.SendPart([]byte(strings.Repeat("s", size/2)), true)
			}
			c.Leave()
		})
	}
	if rng.IntN(8) == 0 {
		pause := time.Duration(rng.IntN(300)) * time.Microsecond
		late.Go(func() { time.Sleep(pause); c.StopSending(number, errTest); c.Cancel(number, errTest) })
	}
	ok := stormResponse(t, c, rng, id)
	if !ok && sends {
		c.StopSending(number, errTest)
	}
	sender.Wait()
	if last, _ := c.Leave(); !last {
		t.Error("a user of the exchange has not left")
	}
	return ok
}

// stormResponse reads a response and reports whether it came whole.
func stormResponse(t *testing.T, c *h1client.Conn, rng *rand.Rand, id string) bool {
	var r http1.Response
	head, err := c.Await(&r, nil, nil)
	for err == nil && r.Status < 200 {
		head, err = c.Await(&r, head, nil)
	}
	if err != nil {
		return false
	}
	if got := string(r.Header.Get("Id")); got != id {
		t.Errorf("the response is %q's, want %q's", got, id)
	}
	var body []byte
	switch rng.IntN(3) {
	case 0:
		c.Discard(httpread.Bounds{Bytes: 1000, Wait: patience, Time: patience})
		return false
	case 1:
		if whole, ok := c.Whole(nil); ok {
			body = whole
			break
		}
		fallthrough
	default:
		if body, err = io.ReadAll(c); err != nil {
			return false
		}
	}
	if want := stormBody(id); !bytes.Equal(body, want) {
		t.Errorf("the body is %q, want %q", body, want)
	}
	return true
}

// stormBody is the body of the response to id.
func stormBody(id string) []byte { return bytes.Repeat([]byte(id+" "), 1+len(id)*7%50) }

// stormServer responds to requests until it has sent so many bytes.
type stormServer struct {
	nc   net.Conn
	name string
	left int
	rng  *rand.Rand
}

func (s *stormServer) serve() {
	defer func() { _ = s.nc.Close() }()
	in := httpread.NewBuffer(s.nc, 4096)
	defer in.Release()
	for {
		var r http1.Request
		n, err := httpread.RequestHead(in, &r)
		if err != nil {
			return
		}
		id, chunked := string(r.Target[1:]), string(r.Header.Get("Chunked")) == "true"
		framing := r.Framing
		in.Take(n)
		var b httpread.Body
		b.Reset(-1)
		b.Start(framing, http1.Limits{})
		if s.rng.IntN(10) == 0 && !s.say("HTTP/1.1 103 Early Hints\r\n\r\n") {
			return
		}
		if _, err := b.ReadAll(in, nil); err != nil || !s.respond(id, chunked) {
			return
		}
	}
}

// respond sends the response to a request; it reports whether the connection stays.
func (s *stormServer) respond(id string, chunked bool) bool {
	body := string(stormBody(id))
	if !chunked {
		return s.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nId: %s\r\nContent-Length: %d\r\n\r\n%s", id, len(body), body))
	}
	half := s.rng.IntN(len(body)-1) + 1
	return s.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nId: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", id, half, body[:half])) &&
		s.say(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body)-half, body[half:]))
}

// say sends as much as is still allowed.
func (s *stormServer) say(p string) bool {
	n := min(s.left, len(p))
	s.left -= n
	_, err := io.WriteString(s.nc, p[:n])
	return err == nil && n == len(p)
}
