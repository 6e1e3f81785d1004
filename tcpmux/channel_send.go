package tcpmux

import (
	"context"
	"os"
	"sync"

	"github.com/shockwave-go/shockwave/internal/muxsession"
)

// sending is a Send that waits.
type sending struct {
	waiter
	send muxsession.Send
}

var sendings = sync.Pool{New: func() any {
	x := &sending{waiter: waiter{ready: make(chan struct{}, 1)}}
	x.send.Owner = x
	return x
}}

// Send sends p as a message; an empty one is a message, too. It returns when the session has a copy of all of p, which is
// the caller's again then; the copy is kept until the peer has acknowledged it. Send waits while the peer takes nothing from
// this channel, while what was sent has not left, and while Config.ResumeBytes have not been acknowledged. Messages of one
// goroutine arrive in the order of its calls.
//
// The error is ctx's, os.ErrDeadlineExceeded, ErrTooLarge, ErrClosed, ErrPeerClosed, a *ResetError or an *EndError; then p
// is not delivered, unless the session has ended.
func (c *Channel) Send(ctx context.Context, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := c.s
	s.mu.Lock()
	if err := c.maySend(len(p)); err != nil {
		s.mu.Unlock()
		return err
	}
	x := sendings.Get().(*sending)
	x.send.P = p
	if s.core.Send(&c.core, &x.send) {
		x.release()
		s.unlockSent()
		return nil
	}
	expired, changed := c.write.watch()
	s.unlockSent()
	return c.awaitSend(ctx, x, expired, changed)
}

// release gives x back.
func (x *sending) release() {
	x.next = nil
	x.send = muxsession.Send{Owner: x}
	sendings.Put(x)
}

// awaitSend waits until x is done, or takes it back.
func (c *Channel) awaitSend(ctx context.Context, x *sending, expired, changed <-chan struct{}) error {
	var err error
	for {
		select {
		case <-x.ready:
			err = c.sendError(x.send.Err)
			x.release()
			return err
		case <-ctx.Done():
			err = ctx.Err()
		case <-expired:
			err = os.ErrDeadlineExceeded
		case <-changed:
			c.s.mu.Lock()
			expired, changed = c.write.watch()
			c.s.mu.Unlock()
			continue
		}
		s := c.s
		s.mu.Lock()
		if s.core.Cancel(&c.core, &x.send) {
			x.release()
			s.unlock()
			return err
		}
		s.mu.Unlock()
		ctx, expired = context.Background(), nil // it is done: ready is told
	}
}

// maySend says why c cannot send a message of n bytes.
func (c *Channel) maySend(n int) error {
	s, k := c.s, &c.core
	switch {
	case s.end != nil:
		return s.end
	case k.WasReset() != nil:
		return resetError(k.WasReset())
	case k.Deaf():
		return ErrPeerClosed
	case k.Ending() != muxsession.Open:
		return ErrClosed
	case s.core.GoingAway():
		return &EndError{End{By: s.by}}
	case n > s.core.MaxMessage():
		return ErrTooLarge
	case c.write.over():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// sendError is what Send says where the core says err.
func (c *Channel) sendError(err error) error {
	switch err {
	case nil:
		return nil
	case muxsession.ErrDeaf:
		return ErrPeerClosed
	case muxsession.ErrReset:
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		return resetError(c.core.WasReset())
	case muxsession.ErrGone:
		return &EndError{End{By: Peer}}
	}
	return err
}

func resetError(r *muxsession.Reset) error { return &ResetError{Code: r.Code, Peer: r.Peer} }

// TrySend is Send that never waits: where Send would it fails with ErrWouldWait.
func (c *Channel) TrySend(p []byte) error {
	s := c.s
	s.mu.Lock()
	err := c.maySend(len(p))
	if err == nil && !s.core.Fits(&c.core, len(p)) {
		err = ErrWouldWait
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	x := sendings.Get().(*sending)
	x.send.P = p
	done := s.core.Send(&c.core, &x.send)
	if !done {
		s.core.Cancel(&c.core, &x.send)
		err = ErrWouldWait
	}
	x.release()
	s.unlockSent()
	return err
}
