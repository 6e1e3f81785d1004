package tcpmux

import (
	"context"
	"os"
	"sync"

	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// pendingSend is a Send call on its way through the session.
type pendingSend struct {
	waiter
	send muxsession.Send
}

var pendingSends = sync.Pool{New: func() any {
	x := &pendingSend{waiter: waiter{ready: make(chan struct{}, 1)}}
	x.send.Owner = x
	return x
}}

// Send sends p as a message, which may be empty. It returns when the session has copied all of p; the copy is kept until the
// peer has acknowledged it. Send waits while the peer's window for this channel or for the session is full, while too much
// output waits for the connection, and while Config.ResumeBytes are not acknowledged. Messages of one goroutine arrive in
// the order of its calls.
//
// The error is ctx's, os.ErrDeadlineExceeded, ErrTooLarge, ErrClosed, ErrPeerClosed, a *ResetError or an *EndError. On error
// p is not delivered, except that it may have been if the session has ended.
func (c *Channel) Send(ctx context.Context, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := c.s
	s.mu.Lock()
	if err := c.maySendLocked(len(p)); err != nil {
		s.mu.Unlock()
		return err
	}
	x := pendingSends.Get().(*pendingSend)
	x.send.P = p
	if s.core.Send(&c.core, &x.send) {
		x.release()
		s.unlockSent()
		return nil
	}
	expired, changed := c.writeDeadline.watch()
	s.unlockSent()
	return c.awaitSend(ctx, x, expired, changed)
}

// release returns x to its pool.
func (x *pendingSend) release() {
	x.next = nil
	x.send = muxsession.Send{Owner: x}
	pendingSends.Put(x)
}

// awaitSend waits until x is done. It cancels x when ctx ends or the write deadline passes.
func (c *Channel) awaitSend(ctx context.Context, x *pendingSend, expired, changed <-chan struct{}) error {
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
			expired, changed = c.writeDeadline.watch()
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
		ctx, expired = context.Background(), nil // x is already done, so x.ready is about to receive
	}
}

// maySendLocked returns the error that prevents c from sending a message of n bytes, or nil.
func (c *Channel) maySendLocked(n int) error {
	s, k := c.s, &c.core
	switch {
	case s.end != nil:
		return s.end
	case k.WasReset() != nil:
		return resetError(k.WasReset())
	case k.PeerStopped():
		return ErrPeerClosed
	case k.Ending() != muxsession.Open:
		return ErrClosed
	case s.core.GoingAway():
		return &EndError{By: s.by}
	case n > s.core.MaxMessage():
		return ErrTooLarge
	case c.writeDeadline.exceeded():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// sendError translates an error of muxsession for the caller of Send.
func (c *Channel) sendError(err error) error {
	switch err {
	case nil:
		return nil
	case muxsession.ErrPeerStopped:
		return ErrPeerClosed
	case muxsession.ErrReset:
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		return resetError(c.core.WasReset())
	case muxsession.ErrGone:
		return &EndError{By: SidePeer}
	}
	return err
}

// side returns the side that did something, which is the peer if peer is true.
func side(peer bool) Side {
	if peer {
		return SidePeer
	}
	return SideLocal
}

func resetError(r *muxsession.Reset) error { return &ResetError{Code: r.Code, By: side(r.Peer)} }

// TrySend is like Send but never waits: it fails with ErrWouldBlock where Send would wait.
func (c *Channel) TrySend(p []byte) error {
	s := c.s
	s.mu.Lock()
	err := c.maySendLocked(len(p))
	if err == nil && !s.core.Fits(&c.core, len(p)) {
		err = ErrWouldBlock
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	x := pendingSends.Get().(*pendingSend)
	x.send.P = p
	done := s.core.Send(&c.core, &x.send)
	if !done {
		s.core.Cancel(&c.core, &x.send)
		err = ErrWouldBlock
	}
	x.release()
	s.unlockSent()
	return err
}
