package http1

import (
	"context"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// measureHandshakes loads a peer with new connections and returns how many handshakes it could do per second of CPU time.
func measureHandshakes(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	t := traffic{path: peer.PathClose, conns: 32}
	values, err := t.measure(ctx, b, s)
	if err != nil {
		return nil, err
	}
	values[perCore.Key] = 1e6 / values[cpu.Key]
	return values, nil
}
