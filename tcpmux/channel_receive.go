package tcpmux

import (
	"context"
	"io"
	"iter"
	"os"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Receive waits for the next message, which is the caller's. Who passes it to Recycle when done spares an allocation.
// Behind the last message the error is io.EOF when the peer has ended its half, else a *ResetError or an *EndError; before,
// ctx's, os.ErrDeadlineExceeded, or ErrClosed after Close.
func (c *Channel) Receive(ctx context.Context) ([]byte, error) {
	s := c.s
	s.mu.Lock()
	if err := c.awaitMessage(ctx, nil); err != nil {
		s.unlock()
		return nil, err
	}
	p := s.core.Take(&c.core, s.now())
	s.unlockTaken()
	return p, nil
}

// ReceiveInto is Receive into buf. It returns the length of the message. When that is more than len(buf) the error is
// io.ErrShortBuffer, and the message stays the next one.
func (c *Channel) ReceiveInto(ctx context.Context, buf []byte) (int, error) {
	s := c.s
	s.mu.Lock()
	err := c.awaitMessage(ctx, buf)
	s.core.Unwant(&c.core, buf, err == nil)
	if err != nil {
		s.unlock()
		return 0, err
	}
	n := c.core.Next()
	if n > len(buf) {
		s.tell(&c.readers)
		s.unlock()
		return n, io.ErrShortBuffer
	}
	s.core.TakeInto(&c.core, buf, s.now())
	s.unlockTaken()
	return n, nil
}

// awaitMessage waits until there is a message; s.mu is held. into is where it is to be put; nil: nobody knows.
func (c *Channel) awaitMessage(ctx context.Context, into []byte) error {
	for {
		switch k := &c.core; {
		case c.closed:
			return ErrClosed
		case c.read.over():
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
		c.s.core.Want(&c.core, into)
		if err := c.s.await(ctx, &c.readers, &c.read); err != nil {
			return err
		}
	}
}

// Recycle gives back a message that Receive has returned. Nobody may use it any more.
func Recycle(p []byte) { bufpool.Put(p) }

// Messages returns an iterator over what Receive returns, until its error. Each message is valid until the next.
func (c *Channel) Messages() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			p, err := c.Receive(context.Background())
			if err != nil || !yield(p) {
				return
			}
			Recycle(p)
		}
	}
}
