package forward

import (
	"context"
	"errors"
	"sync"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// newest is the session that connections of local ports go through: the one that was opened last. All methods may be called
// concurrently.
type newest struct {
	mu      sync.Mutex
	session *tcpmux.Session // nil before the first one
	changed chan struct{}   // closed and replaced when session changes
}

func newNewest() *newest { return &newest{changed: make(chan struct{})} }

// set makes s the newest session.
func (n *newest) set(s *tcpmux.Session) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.session = s
	close(n.changed)
	n.changed = make(chan struct{})
}

// wait returns the newest session. If it has ended or there is none yet, wait waits for the next one until ctx is
// done.
func (n *newest) wait(ctx context.Context) (*tcpmux.Session, error) {
	for {
		n.mu.Lock()
		s, changed := n.session, n.changed
		n.mu.Unlock()
		if s != nil && s.Err() == nil {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errors.New("there is no session")
		}
	}
}
