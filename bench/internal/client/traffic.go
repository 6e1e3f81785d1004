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

// traffic is what a client asks for, with so many goroutines.
type traffic struct {
	task       string
	at         int
	tls, http2 bool
}

// patience is how long a plan may take beyond its own time.
const patience = time.Minute

// tell tells a client's process what to do, and waits for what that has brought.
func tell(s *process.Server, plan clientpeer.Plan) (r clientpeer.Reply, err error) {
	line, err := json.Marshal(plan)
	if err == nil {
		err = s.Say(string(line))
	}
	if err != nil {
		return r, err
	}
	said, err := s.Hear(plan.Warmup + plan.Duration + patience)
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

// server starts the server that clients ask: ours, native, in a process of its own. The caller stops it.
func server(ctx context.Context, tls bool, cores process.Cores) (*process.Server, error) {
	return process.Start(ctx, peer.Native, process.Options{TLS: tls, Cores: cores})
}

func (t traffic) plan(behind *process.Server) clientpeer.Plan {
	return clientpeer.Plan{
		Do: clientpeer.Load, URL: strings.TrimSuffix(behind.URL("/"), "/"), Task: t.task, HTTP2: t.http2, At: t.at,
	}
}

// warmup is for how long is not counted at first: connections are opened, pools fill.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time is how long a measurement takes, starting the processes included.
func (t traffic) time(d time.Duration) time.Duration {
	return 500*time.Millisecond + warmup(d) + d
}

// check has a client ask briefly: it looks at every answer itself.
func (t traffic) check(s *process.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	behind, err := server(ctx, t.tls, process.Both)
	if err != nil {
		return err
	}
	defer behind.Stop()
	plan := t.plan(behind)
	plan.Duration = 50 * time.Millisecond
	_, err = tell(s, plan)
	return err
}

// measure returns what asking has cost a client.
func (t traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	behind, err := server(ctx, t.tls, process.Second)
	if err != nil {
		return nil, err
	}
	defer behind.Stop()
	plan := t.plan(behind)
	plan.Warmup, plan.Duration = warmup(b.Duration), b.Duration
	r, err := tell(s, plan)
	if err != nil {
		return nil, err
	}
	user, system, err := process.Times(behind.PID)
	if err != nil {
		return nil, err
	}
	share := b.Duration.Seconds() / (plan.Warmup + plan.Duration).Seconds()
	return figures(&r.Account, (user+system)*share), nil
}
