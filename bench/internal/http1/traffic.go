package http1

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// traffic describes one kind of load on one path.
type traffic struct {
	path     string
	fields   []string
	body     int // bytes of the POST body; 0 means GET
	conns    int
	pipeline int
	rate     float64
	cores    process.Cores
	// warm and count are the durations of the warm-up and of the counted part, in multiples of a measurement's duration. 0
	// means the default.
	warm, count int
}

// exchange returns one request of the traffic with its expected response.
func (t *traffic) exchange() frame.Exchange {
	x := frame.Exchange{Method: http.MethodGet, Path: t.path, Fields: t.fields}
	if t.body > 0 {
		x.Method, x.Body = http.MethodPost, posted(t.body)
	}
	x.ContentType, x.Response, x.Close = peer.Expect(t.path, t.body)
	return x
}

// check returns an error if a peer does not give the expected response.
func (t *traffic) check(s *process.Server) error {
	x := t.exchange()
	return x.Once(s.Addr, s.TLS)
}

// plan returns the traffic as a plan for the load generator.
func (t *traffic) plan(b *suite.Bench) (load.Plan, error) {
	p := load.Plan{Path: t.path, Fields: t.fields, Conns: t.conns, Pipeline: t.pipeline, Rate: t.rate, Cores: t.cores,
		Warmup: warmup(b.Duration), Duration: b.Duration}
	if t.cores != process.Both {
		p.Cores = process.Second
	}
	if t.warm > 0 {
		p.Warmup = time.Duration(t.warm) * b.Duration
	}
	if t.count > 0 {
		p.Duration = time.Duration(t.count) * b.Duration
	}
	if t.body > 0 {
		p.BodyFile = filepath.Join(b.Dir, "body-"+strconv.Itoa(t.body))
		if err := os.WriteFile(p.BodyFile, posted(t.body), 0o600); err != nil {
			return p, err
		}
	}
	return p, nil
}

// warmup returns how long the load runs before it is counted, while pools fill and the server adapts to its connections.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time returns how long a measurement takes, including the start of the processes and connecting.
func (t *traffic) time(d time.Duration) time.Duration {
	connecting := 300*time.Millisecond + time.Duration(t.conns)*50*time.Microsecond
	if t.count > 0 {
		return connecting + time.Duration(t.warm+t.count)*d
	}
	return connecting + warmup(d) + d
}

// measure loads a peer and returns what the load generator counted.
func (t *traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	a, err := t.run(ctx, b, s)
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// run loads a peer and returns the load generator's account.
func (t *traffic) run(ctx context.Context, b *suite.Bench, s *process.Server) (*load.Account, error) {
	p, err := t.plan(b)
	if err != nil {
		return nil, err
	}
	return b.Load.Run(ctx, s, p)
}

// posted returns a body of n bytes.
func posted(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
