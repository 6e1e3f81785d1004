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

// traffic is load of one kind on one path.
type traffic struct {
	path     string
	fields   []string
	body     int // bytes that are posted; 0 is GET
	conns    int
	pipeline int
	rate     float64
	cores    process.Cores
	// warm and count are how long nothing is counted and how long all is, in measurements' durations; 0: as usual.
	warm, count int
}

// exchange is one request of the traffic, and its answer.
func (t *traffic) exchange() frame.Exchange {
	x := frame.Exchange{Method: http.MethodGet, Path: t.path, Fields: t.fields}
	if t.body > 0 {
		x.Method, x.Body = http.MethodPost, posted(t.body)
	}
	x.ContentType, x.Answer, x.Close = peer.Expect(t.path, t.body)
	return x
}

// check holds a peer to the answer.
func (t *traffic) check(s *process.Server) error {
	x := t.exchange()
	return x.Once(s.Addr, s.TLS)
}

// plan is the traffic as the load generator is told it.
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

// warmup is for how long load is not counted at first: connections find their habits, pools fill.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time is how long a measurement takes: starting the processes and connecting included.
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

// run loads a peer and returns what the load generator says.
func (t *traffic) run(ctx context.Context, b *suite.Bench, s *process.Server) (*load.Account, error) {
	p, err := t.plan(b)
	if err != nil {
		return nil, err
	}
	return b.Load.Run(ctx, s, p)
}

// posted is a body of n bytes.
func posted(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
