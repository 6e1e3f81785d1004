package streamsock

import (
	"context"
	"sync"
)

// dialling is the state that a peer keeps of the dialler that opens its connections.
type dialling struct {
	to   *address
	ctx  context.Context // done when dialling is to stop
	stop context.CancelFunc

	mu  sync.Mutex
	err error // of the last attempt
}

func (d *dialling) setErr(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *dialling) lastErr() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}
