package client

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// proxyConns is how many connections the load generator opens to a proxy.
const proxyConns = 64

// passing describes a proxy. If pool is set, ReverseProxy has a pool of buffers.
type passing struct{ pool bool }

// check sends one request through a proxy and compares the response.
func (pass passing) check(s *process.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	backend, err := server(ctx, false, process.Both)
	if err != nil {
		return err
	}
	defer backend.Stop()
	// A process that has become a proxy remains one, and s is still needed for other scenarios. So this starts another one.
	p, err := process.Start(ctx, s.Name, process.Options{Asks: true, Cores: process.Both})
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := pass.become(ctx, p, backend); err != nil {
		return err
	}
	c, err := frame.Dial(p.Addr, false)
	if err != nil {
		return err
	}
	defer c.Close()
	x := frame.Exchange{Method: "GET", Path: peer.PathJSON}
	x.ContentType, x.Response, _ = peer.Expect(peer.PathJSON, 0)
	return c.Do(&x)
}

// become turns s into a proxy for backend.
func (pass passing) become(ctx context.Context, s, backend *process.Server) error {
	r, err := tell(s, clientpeer.Plan{Do: clientpeer.Proxy, URL: "http://" + backend.Addr, Pool: pass.pool})
	if err != nil {
		return err
	}
	s.Addr = r.Addr
	return s.Listens(ctx)
}

// measure returns the figures of a request through a proxy.
func (pass passing) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	backend, err := server(ctx, false, process.Second)
	if err != nil {
		return nil, err
	}
	defer backend.Stop()
	if err := pass.become(ctx, s, backend); err != nil {
		return nil, err
	}
	a, err := b.Load.Run(ctx, s, load.Plan{
		Path: peer.PathJSON, Conns: proxyConns, Warmup: warmup(b.Duration), Duration: b.Duration, Cores: process.Second,
	})
	if err != nil {
		return nil, err
	}
	return suite.Figures(a, "requests"), nil
}

func (passing) time(d time.Duration) time.Duration { return time.Second + warmup(d) + d }
