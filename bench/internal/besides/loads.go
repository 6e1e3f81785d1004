package besides

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h2ask"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

const (
	sleepTime  = 100 * time.Millisecond // how long handlers sleep
	sleepers   = 8                      // concurrent requests of Neighbours whose handlers sleep
	maxStreams = 64                     // largest number of concurrent other requests of Neighbours
	rate       = 2000                   // other requests per second
	timeout    = 10 * time.Second
)

var sleepPath = fmt.Sprintf("%s?ms=%d", peer.PathSleep, sleepTime.Milliseconds())

// Neighbours sends all requests on one HTTP/2 connection: requests at a fixed rate, and some whose handlers always sleep.
func Neighbours(opt Options) (*load.Account, error) {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: p}, Timeout: timeout}
	defer client.CloseIdleConnections()
	s := &requesters{rate: rate, sleepTime: sleepTime}
	for range maxStreams {
		s.steady = append(s.steady, func() error { return greeted(client, "http://"+opt.Addr+peer.PathText) })
	}
	for range sleepers {
		s.asleep = append(s.asleep, func() error { return greeted(client, "http://"+opt.Addr+sleepPath) })
	}
	return s.run(opt)
}

// greeted requests a URL and checks that the response is the greeting.
func greeted(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 || !bytes.Equal(body, peer.Greeting)) {
		err = fmt.Errorf("%s: %s %q with %s", url, resp.Status, body, resp.Proto)
	}
	return err
}

// Mixed uses HTTP/1.1 on half of the connections and HTTP/2 on the others. On one of twenty of each, the handlers always sleep.
func Mixed(opt Options) (*load.Account, error) {
	s := &requesters{rate: 2 * rate, sleepTime: sleepTime}
	fast := ask(peer.PathText)
	slow := ask(sleepPath)
	var open []io.Closer
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	for i := range opt.Conns {
		c, err := dial(opt.Addr, i%2 == 1)
		if err != nil {
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		open = append(open, c)
		if i/2%20 == 0 {
			s.asleep = append(s.asleep, func() error { return c.Do(slow) })
		} else {
			s.steady = append(s.steady, func() error { return c.Do(fast) })
		}
	}
	if len(s.steady) == 0 {
		return nil, errors.New("too few connections: the handlers of all of them sleep")
	}
	return s.run(opt)
}

// conn is a connection with one request at a time.
type conn interface {
	Do(x *frame.Exchange) error
	Close() error
}

func dial(addr string, http2 bool) (conn, error) {
	if http2 {
		return h2ask.Dial(addr, false)
	}
	return frame.Dial(addr, false)
}

func ask(path string) *frame.Exchange {
	x := &frame.Exchange{Method: http.MethodGet, Path: path}
	x.ContentType, x.Response, _ = peer.Expect(path, 0)
	return x
}
