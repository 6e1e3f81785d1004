package tcpmux

import (
	"context"
	"io"
	"iter"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Receive waits for the next message. The caller owns it and may pass it to Recycle after use, which saves an allocation.
// After the last message the error is io.EOF if the peer has ended its half, else a *ResetError or an *EndError. Before that
// it is ctx's, os.ErrDeadlineExceeded, or ErrClosed after Close.
func (c *Channel) Receive(ctx context.Context) ([]byte, error) {
	s := c.s
	s.mu.Lock()
	if err := c.awaitMessageLocked(ctx, nil); err != nil {
		s.unlock()
		return nil, err
	}
	p := s.core.Take(&c.core)
	s.unlockTaken()
	return p, nil
}

// ReceiveInto is like Receive but copies the message to buf and returns its length. If the length is more than len(buf), the
// error is io.ErrShortBuffer and the next call returns the same message.
func (c *Channel) ReceiveInto(ctx context.Context, buf []byte) (int, error) {
	s := c.s
	s.mu.Lock()
	err := c.awaitMessageLocked(ctx, buf)
	s.core.WithdrawBuffer(&c.core, buf, err == nil)
	if err != nil {
		s.unlock()
		return 0, err
	}
	n := c.core.Next()
	if n > len(buf) {
		s.wakeOne(&c.readers)
		s.unlock()
		return n, io.ErrShortBuffer
	}
	s.core.TakeInto(&c.core, buf)
	s.unlockTaken()
	return n, nil
}

// awaitMessageLocked waits until there is a message. into is the caller's buffer for the message, or nil.
func (c *Channel) awaitMessageLocked(ctx context.Context, into []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for {
		switch k := &c.core; {
		case c.closed:
			return ErrClosed
		case c.readDeadline.exceeded():
			return os.ErrDeadlineExceeded
		case k.Ready():
			return nil
		case k.WasReset() != nil:
			return resetError(k.WasReset())
		case k.Ended():
			return io.EOF
		case c.s.end != nil:
			return c.s.end
		}
		c.s.core.OfferBuffer(&c.core, into)
		c.s.core.Await(&c.core, true)
		err := c.s.awaitLocked(ctx, &c.readers, &c.readDeadline)
		c.s.core.Await(&c.core, c.readers.first != nil)
		if err != nil {
			return err
		}
	}
}

// Recycle returns a message from Receive to the buffer pool. It must not be used afterwards.
func Recycle(p []byte) { bufpool.Put(p) }

// Messages returns an iterator over the messages that Receive returns. Each message is only valid until the next. The error
// comes once and last, with a nil message; there is none after the last message of a peer that has ended its half.
func (c *Channel) Messages() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			p, err := c.Receive(context.Background())
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
			if !yield(p, nil) {
				return
			}
			Recycle(p)
		}
	}
}
