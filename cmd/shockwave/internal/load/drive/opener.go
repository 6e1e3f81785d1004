package drive

import (
	"context"
	"errors"
	"net"
	"sync"
)

// maxDials is how many connections are opened at the same time.
const maxDials = 64

// opener opens the connections of the slots.
type opener struct {
	state  *state
	driver Driver
	queue  chan *Slot // slots that need a connection

	mu      sync.Mutex
	lastErr error
}

// work opens connections until ctx is done.
func (o *opener) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-o.queue:
			if err := o.driver.Open(ctx, s); err != nil && err != ErrOver && ctx.Err() == nil {
				o.failed(s, err)
			}
		}
	}
}

// failed handles a failed attempt and schedules the next one. Before the first requests are sent, a refused connection
// is not counted as an error until Timeout has passed: the server may be about to start. An unknown host or a bad
// certificate is counted at once.
func (o *opener) failed(s *Slot, err error) {
	o.mu.Lock()
	o.lastErr = err
	o.mu.Unlock()
	var op *net.OpError
	var dns *net.DNSError
	passing := errors.As(err, &op) && op.Op == "dial" && !errors.As(err, &dns)
	started := o.state.started.Load() != 0
	s.Lock()
	now := s.Now()
	if s.failingSince == 0 {
		s.failingSince = now
	}
	final := !passing || now-s.failingSince >= int64(s.Timeout())
	if (final || started) && !s.over && !s.ending {
		s.now.Errors.Connect++
	}
	if final {
		s.failingSince = 0
		s.settle(false)
	}
	s.lengthenPause()
	pause := s.pause
	s.Unlock()
	if started {
		o.state.outages.Begin(&o.state.open)
	}
	s.queueAfter(pause)
}

// err returns the last error of opening a connection.
func (o *opener) err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lastErr
}
