package http3

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h3ask"
	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// traffic describes one kind of load on one path.
type traffic struct {
	path           string
	body           int // bytes of the POST body; 0 means GET
	conns, streams int

	// sample, if set, is what is checked before the measurement, because a request of the traffic itself is too long to be
	// compared. A number of requests is measured then, not a time, because few fit into it.
	sample *traffic
}

// exchange returns one request of the traffic with its expected response.
func (t *traffic) exchange() frame.Exchange {
	x := frame.Exchange{Method: http.MethodGet, Path: t.path}
	if t.body > 0 {
		x.Method, x.Body = http.MethodPost, posted(t.body)
	}
	x.ContentType, x.Response = h3peer.Expect(t.path, t.body)
	return x
}

// check returns an error if a peer does not give the expected response. It asks twice on one connection.
func (t *traffic) check(s *process.Server) error {
	if t.sample != nil {
		return t.sample.check(s)
	}
	x := t.exchange()
	c, err := h3ask.Dial(s.Addr)
	if err != nil {
		return err
	}
	defer c.Close()
	return errors.Join(c.Do(&x), c.Do(&x))
}

// measure loads a peer and returns what the load generator counted.
func (t *traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	p, err := t.plan(b)
	if err != nil {
		return nil, err
	}
	a, err := b.Load.Run(ctx, s, p)
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// plan returns the traffic as a plan for the load generator.
func (t *traffic) plan(b *suite.Bench) (p load.Plan, err error) {
	p = load.Plan{Path: t.path, HTTP3: true, Conns: t.conns, Streams: t.streams, Cores: process.Second,
		Warmup: warmup(b.Duration), Duration: b.Duration}
	if t.sample != nil {
		p.Requests, p.Timeout = requests(b.Duration), time.Minute
	}
	if t.body > 0 {
		p.BodyFile = filepath.Join(b.Dir, "body-"+strconv.Itoa(t.body))
		err = os.WriteFile(p.BodyFile, posted(t.body), 0o600)
	}
	return p, err
}

// warmup returns how long the load runs before it is counted.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// requests returns how many long requests are measured, if the flag -d is d. One takes about half a second.
func requests(d time.Duration) int64 { return max(1, int64(2*d.Seconds())) }

// time returns how long a measurement takes, including the start of the processes and connecting.
func (t *traffic) time(d time.Duration) time.Duration {
	const begin = 300 * time.Millisecond
	if t.sample != nil {
		return begin + time.Duration(requests(d))*600*time.Millisecond
	}
	return begin + time.Duration(t.conns)*time.Millisecond + warmup(d) + d
}

// posted returns a body of n bytes.
func posted(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
