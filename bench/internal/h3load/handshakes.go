// Package h3load makes the load of HTTP/3 that shockwave bench has no flags for.
package h3load

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h3ask"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
)

// Handshakes opens connections as fast as they can be opened, opt.Conns at once. On each it sends one request, compares the
// response and closes the connection. The account counts connections, and has no latencies.
func Handshakes(opt wsload.Options) (*load.Account, error) {
	l := &loop{addr: opt.Addr, ask: frame.Exchange{Method: http.MethodGet, Path: peer.PathText}, failed: make(chan error, opt.Conns)}
	l.ask.ContentType, l.ask.Response, _ = peer.Expect(peer.PathText, 0)
	var workers sync.WaitGroup
	for range opt.Conns {
		workers.Go(l.run)
	}
	a, err := l.count(opt)
	l.over.Store(true)
	workers.Wait()
	close(l.failed)
	if err = errors.Join(err, <-l.failed); err != nil {
		return nil, err
	}
	if a.Requests == 0 {
		return nil, errors.New("no request was answered")
	}
	return a, nil
}

// loop is what the workers share.
type loop struct {
	addr   string
	ask    frame.Exchange
	over   atomic.Bool
	done   atomic.Int64
	failed chan error
}

// run opens one connection after the other until the load is over or one fails.
func (l *loop) run() {
	for !l.over.Load() {
		if err := h3ask.Once(l.addr, &l.ask); err != nil {
			l.failed <- err
			return
		}
		l.done.Add(1)
	}
}

// count returns the account of the time after the warm-up.
func (l *loop) count(opt wsload.Options) (*load.Account, error) {
	time.Sleep(opt.Warmup)
	before, err := wsload.Look(opt.PID)
	if err != nil {
		return nil, err
	}
	n := l.done.Load()
	time.Sleep(opt.Duration)
	n = l.done.Load() - n
	after, err := wsload.Look(opt.PID)
	if err != nil {
		return nil, err
	}
	return after.Since(&before, n), nil
}
