package websocket

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// readFailedLocked returns the error for the user when reading has failed with err. Unless only the read deadline has
// passed, or the read was interrupted, it ends the connection.
func (r *receiver) readFailedLocked(err error) error {
	switch {
	case err == netconn.ErrInterrupted:
	case errors.Is(err, os.ErrDeadlineExceeded) && r.out.link.WriteError() == nil: // an expired write deadline breaks the connection
		err = os.ErrDeadlineExceeded
	default:
		return r.hangUpLocked(err)
	}
	r.in.KeepLent()
	return err
}

// readExpiredLocked returns the error of a read after the read deadline, which also holds for what has arrived already.
func (r *receiver) readExpiredLocked() error {
	if !r.out.link.ReadExpired() || r.out.finished.Load() {
		return nil
	}
	return r.readFailedLocked(netconn.ErrSlow)
}

// hangUpLocked ends the connection because of err, the error of a read. It sends a close frame if the peer can still be
// told why, but does not wait until it has left.
func (r *receiver) hangUpLocked(err error) error {
	err = r.out.fail(r.out.closeFor(err))
	r.finish(err)
	go r.pull.Finish(transportEnd(err))
	return r.readError(err)
}

// readError returns the error of a read after the connection has ended with err. If Close gave up on unsent output,
// Close and Err say so; a read must not return os.ErrDeadlineExceeded then, which would look like a read deadline.
func (r *receiver) readError(err error) error {
	if r.out.closed() && err == os.ErrDeadlineExceeded {
		return ErrClosed
	}
	return err
}

// cut ends the connection without another close frame. If a goroutine or the engine is reading, that does the work.
func (r *receiver) cut() {
	r.out.end.Store(endCutOff)
	r.endIfUnread()
}

// unlock ends a read. If the end of the connection was decided meanwhile, it is carried out now.
func (r *receiver) unlock() {
	r.mu.Unlock()
	if r.out.end.Load() != endNone {
		r.endIfUnread()
	}
}

// endIfUnread ends the connection if that has been decided, unless a goroutine is reading: that one does it in unlock.
func (r *receiver) endIfUnread() {
	if !r.out.endPending() || r.isServed() || !r.mu.TryLock() {
		return
	}
	defer r.unlock()
	switch {
	case !r.out.endPending():
	case r.out.cutOff():
		r.hangUpLocked(ErrClosed)
	default:
		r.out.endWith(endError(r.out.link.WriteError()))
		if d := r.out.cfg.closeTimeout; d > 0 {
			clock.AfterFunc(d, r.cut) // until then, data that has arrived can still be read
		}
	}
}

// abandon ends a connection that failed to open, unless its group has ended it already.
func (r *receiver) abandon(err error) {
	r.out.link.Abort() // wakes a reader that works for the group
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.out.finished.Load() {
		r.finish(err)
		r.pull.Finish(netconn.ErrAbort)
	}
}

// finish releases what the connection holds and marks it as over. The reader calls it once.
func (r *receiver) finish(err error) {
	r.out.finished.Store(true)
	r.in.Drop()
	r.out.dropContexts()
	r.out.endWith(err)
}
