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

// How much is asked for.
const (
	nap      = 100 * time.Millisecond // of handlers that sleep
	sleepers = 8                      // of Neighbours, on the one connection
	askers   = 64                     // streams that are open at once at most, besides
	rate     = 2000                   // requests a second
	patience = 10 * time.Second
)

var sleepPath = fmt.Sprintf("%s?ms=%d", peer.PathSleep, nap.Milliseconds())

// Neighbours has all requests travel on one connection of HTTP/2: steady ones, and some whose handlers sleep, always.
func Neighbours(opt Options) (*load.Account, error) {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: p}, Timeout: patience}
	defer client.CloseIdleConnections()
	s := &seats{rate: rate, nap: nap}
	for range askers {
		s.steady = append(s.steady, func() error { return greeted(client, "http://"+opt.Addr+peer.PathText) })
	}
	for range sleepers {
		s.asleep = append(s.asleep, func() error { return greeted(client, "http://"+opt.Addr+sleepPath) })
	}
	return s.run(opt)
}

// greeted asks for a path whose answer is the greeting.
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

// Mixed has half of the connections speak HTTP/1.1, the others HTTP/2. One of twenty of each asks for what sleeps, always.
func Mixed(opt Options) (*load.Account, error) {
	s := &seats{rate: 2 * rate, nap: nap}
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
		return nil, errors.New("so few connections have nobody who does not sleep")
	}
	return s.run(opt)
}

// asker is a connection that asks one thing after the other.
type asker interface {
	Do(x *frame.Exchange) error
	Close() error
}

func dial(addr string, http2 bool) (asker, error) {
	if http2 {
		return h2ask.Dial(addr, false)
	}
	return frame.Dial(addr, false)
}

func ask(path string) *frame.Exchange {
	x := &frame.Exchange{Method: http.MethodGet, Path: path}
	x.ContentType, x.Answer, _ = peer.Expect(path, 0)
	return x
}
