package serverconn

import (
	"context"
	"sync"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
)

// member is the view that members have of a connection.
type member interface {
	drain()         // lets it take no more requests, and ends it when they have their responses
	Fail(err error) // ends it at once
	traffic() quicconn.Traffic
}

// standing says whether Shutdown waits for a connection.
type standing uint8

const (
	awaited   standing = iota // it waits for the connection
	leftAlone                 // it does not: only streams are open that handlers have taken over
)

// members are the connections of a server. All methods may be called concurrently.
type members struct {
	mu      sync.Mutex
	all     map[member]standing
	alive   int           // how many of all have not ended; of others handlers still run
	alone   int           // how many of all are left alone
	closed  bool          // there are to be no more
	changed chan struct{} // closed and made anew when all or alive shrinks or alone grows
}

func newMembers() *members {
	return &members{all: map[member]standing{}, changed: make(chan struct{})}
}

// join adds a connection. It returns false if further connections are refused.
func (s *members) join(k member) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.all[k] = awaited
	s.alive++
	return true
}

// close refuses further connections.
func (s *members) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}

// noteEnd records that a connection has ended. Handlers of its requests may still run.
func (s *members) noteEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive--
	s.signalLocked()
}

// leave removes a connection. It reports whether it was the last one.
func (s *members) leave(k member) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[k] == leftAlone {
		s.alone--
	}
	delete(s.all, k)
	s.signalLocked()
	return len(s.all) == 0
}

// leaveAlone makes Shutdown not wait for a connection.
func (s *members) leaveAlone(k member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.all[k]; ok && at == awaited {
		s.all[k] = leftAlone
		s.alone++
		s.signalLocked()
	}
}

// signalLocked wakes the goroutines that wait.
func (s *members) signalLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// list returns the connections that are open now.
func (s *members) list() []member {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]member, 0, len(s.all))
	for k := range s.all {
		all = append(all, k)
	}
	return all
}

// awaitEnd waits until no connection is alive.
func (s *members) awaitEnd() { s.await(context.Background(), func() bool { return s.alive == 0 }) }

// awaitResponses waits until there are only connections that are left alone, or ctx has ended.
func (s *members) awaitResponses(ctx context.Context) error {
	return s.await(ctx, func() bool { return len(s.all) == s.alone })
}

// await waits until over, which is called with the lock held, returns true.
func (s *members) await(ctx context.Context, over func() bool) error {
	for {
		s.mu.Lock()
		done, changed := over(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
