package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// traffic describes the requests of a client.
type traffic struct {
	task       string
	at         int // goroutines
	tls, http2 bool
}

// timeout is how much longer than its duration a plan may take.
const timeout = time.Minute

// tell sends a plan to a client's process and returns the reply.
func tell(s *process.Server, plan clientpeer.Plan) (r clientpeer.Reply, err error) {
	line, err := json.Marshal(plan)
	if err == nil {
		err = s.Say(string(line))
	}
	if err != nil {
		return r, err
	}
	said, err := s.Hear(plan.Warmup + plan.Duration + timeout)
	if err != nil {
		return r, fmt.Errorf("%s says nothing: %w", s.Name, err)
	}
	if err := json.Unmarshal([]byte(said), &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// server starts the server for the clients: our native one, in a process of its own. The caller must stop it.
func server(ctx context.Context, tls bool, cores process.Cores) (*process.Server, error) {
	return process.Start(ctx, peer.Native, process.Options{TLS: tls, Cores: cores})
}

func (t traffic) plan(backend *process.Server) clientpeer.Plan {
	return clientpeer.Plan{
		Do: clientpeer.Load, URL: strings.TrimSuffix(backend.URL("/"), "/"), Task: t.task, HTTP2: t.http2, At: t.at,
	}
}

// warmup returns how long the load runs before it is counted, while connections are opened and pools fill.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time returns how long a measurement takes, including the start of the processes.
func (t traffic) time(d time.Duration) time.Duration {
	return 500*time.Millisecond + warmup(d) + d
}

// check runs the load briefly; the client itself compares every response.
func (t traffic) check(s *process.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	backend, err := server(ctx, t.tls, process.Both)
	if err != nil {
		return err
	}
	defer backend.Stop()
	plan := t.plan(backend)
	plan.Duration = 50 * time.Millisecond
	_, err = tell(s, plan)
	return err
}

// measure runs the load and returns the client's figures.
func (t traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	backend, err := server(ctx, t.tls, process.Second)
	if err != nil {
		return nil, err
	}
	defer backend.Stop()
	plan := t.plan(backend)
	plan.Warmup, plan.Duration = warmup(b.Duration), b.Duration
	r, err := tell(s, plan)
	if err != nil {
		return nil, err
	}
	user, system, err := process.Times(backend.PID)
	if err != nil {
		return nil, err
	}
	share := b.Duration.Seconds() / (plan.Warmup + plan.Duration).Seconds()
	return figures(&r.Account, (user+system)*share), nil
}
