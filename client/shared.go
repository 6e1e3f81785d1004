package client

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// shared is what the requests of a Client share. After New it only changes in those of its parts that are safe for
// concurrent use.
type shared struct {
	cfg       Config
	pool      *httpclient.Client
	versions  versions
	timeout   httpclient.Timeouts
	inflate   coding.Limits
	proxies   proxies
	budget    budget
	stats     counters
	exchanges sync.Pool // of *exchange
	poison    bool      // Close overwrites what a Response has returned, and its memory is not reused
}

// counters are the counters of Stats that the pool does not have.
type counters struct{ requests, failures, redirects, retries atomic.Int64 }

// init fills in everything but the pool.
func (s *shared) init(cfg Config) {
	s.cfg = cfg.withDefaults()
	s.versions = cfg.versions()
	s.timeout = httpclient.Timeouts{Head: max(s.cfg.HeadTimeout, 0), Idle: max(s.cfg.BodyTimeout, 0)}
	s.inflate = coding.Limits{Bytes: cfg.MaxInflated, Ratio: cfg.MaxInflateRatio}
	s.proxies.init(&s.cfg)
	s.poison = bufpool.Poisoned
	s.budget.init(&s.cfg.Retry)
}
