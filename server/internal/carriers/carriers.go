// Package carriers keeps the transports of other modules that carry requests of a server.
package carriers

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// List is the carriers of a server. The zero value is none. All methods may be called concurrently.
type List struct {
	mu     sync.Mutex
	list   []carrier.Carrier
	closed bool // no other is added
}

// Add adds c, unless the list is closed.
func (l *List) Add(c carrier.Carrier) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.list = append(l.list, c)
	}
	return !l.closed
}

// All returns the carriers.
func (l *List) All() []carrier.Carrier {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// Close closes the list and returns the carriers.
func (l *List) Close() []carrier.Carrier {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	return l.All()
}

// Shutdown begins to shut all of them down. wait waits for that.
func (l *List) Shutdown(ctx context.Context) (wait func() error) {
	all := l.All()
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

// AddStats adds the counters of all to n.
func (l *List) AddStats(n *netconn.Stats) {
	for _, c := range l.All() {
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
