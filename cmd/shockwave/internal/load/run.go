package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// readBuffer is the size of the buffer that a connection takes from the pool while there is input. It holds a batch of
// responses or a good part of a large one.
const readBuffer = 64 << 10

// none turns a limit of netconn off: only Timeout counts, and watch enforces it.
const none = -1

// run is the state shared by the parts of a call of Run.
type run struct {
	cfg        Config
	req        *request
	depth      int  // requests in flight on one connection
	oneWay     bool // messages are sent one way
	schedule   schedule
	engine     *netconn.Engine
	opener     *opener
	quota      quota
	slots      []*slot
	shards     []*shard
	sameChecks []sameCheck // by URL; nil without Same
	outages    outages
	base       time.Time
	started    atomic.Int64 // when the first requests may be sent; 0: not yet
	open       atomic.Int64 // open connections
	h3         h3Totals     // of connections of HTTP/3 that have ended
	writers    sync.WaitGroup
}

func newRun(cfg Config, req *request) *run {
	r := &run{cfg: cfg, req: req, depth: cfg.Pipeline, base: time.Now()}
	r.oneWay = cfg.Message.OneWay
	if req.closes {
		r.depth = 1 // a server does not answer requests after such a one (RFC 9112 §9.6)
	}
	r.schedule = schedule{cfg.Rate, cfg.Conns}
	r.shards = newShards(cfg.Conns, req)
	if cfg.Same {
		r.sameChecks = make([]sameCheck, req.turns.all)
	}
	for i := range cfg.Conns {
		sh := r.shards[i%len(r.shards)]
		s := &slot{run: r, shard: sh, index: i}
		s.flight.makeRoom(r.depth)
		if req.message != nil {
			s.replies = newReplyReader(req.message)
		} else {
			s.turn = i % req.turns.all // start with different URLs
		}
		sh.slots = append(sh.slots, s)
		r.slots = append(r.slots, s)
	}
	r.opener = newOpener(r)
	r.engine = netconn.New(r.engineConfig())
	return r
}

func (r *run) engineConfig() netconn.Config {
	cfg := netconn.Config{
		ReadBuffer: readBuffer, IdleTimeout: none, MessageTimeout: none, MinReadRate: none, MinWriteRate: none,
		LingerTimeout: none,
	}
	if r.cfg.Rate == 0 {
		cfg.IdlePark = none // connections of a closed loop are never idle
	}
	return cfg
}

// now returns the nanoseconds since the run was made. It never returns 0.
func (r *run) now() int64 { return int64(time.Since(r.base)) + 1 }

// drive carries out the run.
func (r *run) drive(ctx context.Context) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer func() {
		cancel()
		parts.Wait()
		r.close()
	}()
	for range min(maxDials, len(r.slots)) {
		parts.Go(func() { r.opener.work(ctx) })
	}
	for _, s := range r.slots {
		r.opener.queueAfter(s, 0)
	}
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	a := newAccount(r)
	a.res.Connecting = time.Since(r.base)
	counting, enough := context.WithCancel(ctx)
	defer enough()
	if r.cfg.Requests > 0 {
		r.quota.limit(r.cfg.Requests, enough)
	}
	parts.Go(func() { r.watch(ctx) })
	if r.cfg.Warmup > 0 {
		r.start(ctx, &parts)
		sleep(ctx, r.cfg.Warmup)
		a.begin()
	} else {
		a.begin() // before start, so that the first responses count
		r.start(ctx, &parts)
	}
	return a.measure(counting), nil
}

// start sends the first requests.
func (r *run) start(ctx context.Context, parts *sync.WaitGroup) {
	r.started.Store(r.now())
	if r.cfg.Rate > 0 {
		parts.Go(func() { r.sendOnSchedule(ctx) })
		return
	}
	for _, s := range r.slots {
		s.nudge(r.now())
	}
}

// close ends all connections and waits until they have ended.
func (r *run) close() {
	ctx, cancel := context.WithTimeout(context.Background(), r.cfg.Timeout)
	defer cancel()
	r.engine.Close()
	r.engine.Shutdown(ctx)
	r.closeH3()
	r.writers.Wait()
}

// connect waits until every slot has a connection or has been given up. It also stops if no slot has settled for twice
// the Timeout.
func (r *run) connect(ctx context.Context) error {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for r.opener.settled.Load() < int64(len(r.slots)) && ctx.Err() == nil {
		if r.now()-r.opener.progress.Load() > 2*int64(r.cfg.Timeout) {
			break
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	if r.opener.everOpen.Load() > 0 {
		return nil
	}
	err := r.opener.err()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = fmt.Errorf("nothing has come of it for %v", 2*r.cfg.Timeout)
	}
	return fmt.Errorf("load: no connection to %s could be opened: %w", r.cfg.URL.Host, err)
}
