package sockets

import (
	"context"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/sockload"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	broadcastConns = 5000 // connections that receive a broadcast
	idleConns      = 10_000
	activeConns    = 1000 // connections that send messages beside the idle ones
	idleTimes      = 12   // how long connections stay idle, in multiples of a measurement's duration: 36 s by default
)

func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// many is load with many connections over a transport, whose name it is. The load generator is the same for all peers.
type many string

// check does exchanges on two connections.
func (t many) check(s *process.Server) error {
	conns, err := sockload.Open(s.Addr, t == "tcp", 2)
	if err != nil {
		return err
	}
	defer conns.Close()
	return conns.Again()
}

// broadcast returns the figures of one delivery of a broadcast.
func (t many) broadcast(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	return t.load(ctx, b, s, "told", broadcastConns)
}

func (t many) load(ctx context.Context, b *suite.Bench, s *process.Server, kind string, conns int) (result.Values, error) {
	a, err := load.RunOwn(ctx, s, warmup(b.Duration)+b.Duration, "-kind", kind, "-socket", string(t), "-c", strconv.Itoa(conns),
		"-warmup", warmup(b.Duration).String(), "-d", b.Duration.String())
	if err != nil {
		return nil, err
	}
	values := suite.Figures(a, "messages")
	values[suite.Behind] = float64(a.Late) / float64(a.Requests)
	return values, nil
}

// idle returns how much memory each idle connection adds to a peer's process.
func (t many) idle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.OpenSockets(ctx, s, n, string(t)) }
	m, err := hold.Idle(ctx, s, idleConns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	return result.Values{rss.Key: m.RSS, heap.Key: m.Heap, goroutines.Key: m.Goroutines}, nil
}

// trickle returns the figures of messages on some connections beside many idle ones.
func (t many) trickle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	h, err := hold.OpenSockets(ctx, s, idleConns, string(t))
	if err != nil {
		return nil, err
	}
	defer h.Close()
	values, err := t.load(ctx, b, s, "trickle", activeConns)
	if err != nil {
		return nil, err
	}
	delete(values, suite.P50)
	delete(values, suite.P99)
	return values, h.Again()
}

// idleTime returns how long idle takes for a peer that is measured together with the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }

func trickleTime(d time.Duration) time.Duration { return d + warmup(d) + 4*time.Second }

func broadcastTime(d time.Duration) time.Duration { return d + warmup(d) + 2*time.Second }
