package server

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// carriers are the carriers of a server. The zero value is none.
type carriers struct {
	mu     sync.Mutex
	list   []carrier.Carrier
	closed bool // no other is added
}

// add adds c, unless the list is closed.
func (l *carriers) add(c carrier.Carrier) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.list = append(l.list, c)
	}
	return !l.closed
}

// all returns the carriers.
func (l *carriers) all() []carrier.Carrier {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// close closes the list and returns the carriers.
func (l *carriers) close() []carrier.Carrier {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	return l.all()
}

// shutdown begins to shut all of them down. wait waits for that.
func (l *carriers) shutdown(ctx context.Context) (wait func() error) {
	all := l.all()
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, c := range all {
		running.Go(func() { errs[i] = c.Shutdown(ctx) })
	}
	return func() error {
		running.Wait()
		return cmp.Or(errs...)
	}
}

// addStats adds the counters of all to n.
func (l *carriers) addStats(n *netconn.Stats) {
	for _, c := range l.all() {
		one := c.Stats()
		n.Accepted += one.Accepted
		n.Open += one.Open
		n.Active += one.Active
		n.Parked += one.Parked
		n.BytesIn += one.BytesIn
		n.BytesOut += one.BytesOut
		n.AcceptErrors += one.AcceptErrors
		n.Slow += one.Slow
		n.Panics += one.Panics
	}
}
