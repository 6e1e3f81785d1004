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

// proxyConns is how many connections ask a proxy.
const proxyConns = 64

// passing is what a proxy does. With pool it has a pool of buffers, as far as it needs one.
type passing struct{ pool bool }

// check asks a proxy once, and looks at the bytes.
func (pass passing) check(s *process.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	behind, err := server(ctx, false, process.Both)
	if err != nil {
		return err
	}
	defer behind.Stop()
	// s goes on to other scenarios, and a proxy does not: it gets a process of its own.
	p, err := process.Start(ctx, s.Name, process.Options{Asks: true, Cores: process.Both})
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := pass.become(ctx, p, behind); err != nil {
		return err
	}
	c, err := frame.Dial(p.Addr, false)
	if err != nil {
		return err
	}
	defer c.Close()
	x := frame.Exchange{Method: "GET", Path: peer.PathJSON}
	x.ContentType, x.Answer, _ = peer.Expect(peer.PathJSON, 0)
	return c.Do(&x)
}

// become makes s a proxy for behind.
func (pass passing) become(ctx context.Context, s, behind *process.Server) error {
	r, err := tell(s, clientpeer.Plan{Do: clientpeer.Proxy, URL: "http://" + behind.Addr, Pool: pass.pool})
	if err != nil {
		return err
	}
	s.Addr = r.Addr
	return s.Listens(ctx)
}

// measure returns what a request costs that is passed on.
func (pass passing) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	behind, err := server(ctx, false, process.Second)
	if err != nil {
		return nil, err
	}
	defer behind.Stop()
	if err := pass.become(ctx, s, behind); err != nil {
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
