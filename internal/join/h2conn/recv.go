package h2conn

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// receiving is the receiving half of a stream. What has arrived waits in pieces; fill takes them one after the other. The
// connection's lock guards it, except what only the reading goroutine uses.
type receiving struct {
	waiter
	in pieces // what has arrived

	// Only the reading goroutine uses these, except noMinRate.
	view       []byte // what is being read; from bufpool
	off        int    // bytes of view that were taken
	credited   int    // bytes of view that were given back to the peer's window
	rateBytes  int64  // bytes received while the minimum rate was measured
	rateWaited int64  // nanoseconds that fill waited for them
	noMinRate  bool   // the minimum rate is not enforced; the lock guards it
}

func (r *receiving) reset() {
	r.waiter.reset()
	r.off, r.credited, r.rateBytes, r.rateWaited, r.noMinRate = 0, 0, 0, 0, false
}

// release returns the buffers to bufpool.
func (r *receiving) release() {
	r.in.release()
	bufpool.Put(r.view)
	r.view = nil
}

// arrived appends received bytes; end means that they are the last.
func (r *receiving) arrived(p []byte, end bool) {
	r.in.append(p)
	if end {
		r.err = io.EOF
	}
	r.signal()
}

// end makes reads fail with err once the buffered bytes are read.
func (r *receiving) end(err error) {
	if r.err != nil {
		return
	}
	r.err = err
	r.signal()
}

// wait is Stream.WaitLocked.
func (r *receiving) wait(c *session, done <-chan struct{}) error {
	if r.err != nil {
		return r.err
	}
	if r.passed(c) {
		return netconn.ErrSlow
	}
	r.awaitOr(c, 0, done)
	return nil
}

// unread returns the bytes that were received and not taken yet. The reading goroutine calls it, without the lock.
func (r *receiving) unread() []byte { return r.view[r.off:] }

// fill is Stream.Fill with the lock held, which is released while it waits. w is nil once the stream has ended.
func (r *receiving) fill(c *session, w *http2.Stream) ([]byte, error) {
	r.consume(c, w)
	for r.in.empty() {
		if r.interrupted != nil {
			return nil, r.interrupted
		}
		if r.err != nil {
			return nil, r.err
		}
		now := c.Now()
		if r.passed(c) {
			return nil, netconn.ErrSlow
		}
		rateDeadline := r.minRateDeadline(c.policy, now)
		if rateDeadline != 0 && rateDeadline <= now {
			return nil, netconn.ErrSlow
		}
		r.await(c, rateDeadline)
		r.rateWaited += c.Now() - now
	}
	next := r.in.pop()
	r.rateBytes += int64(len(next))
	if left := r.view[r.off:]; len(left) > 0 {
		n := len(left)
		copy(r.view, left)
		r.view = append(bufpool.Grow(r.view, n+len(next))[:n], next...)
		bufpool.Put(next)
	} else {
		r.in.reuse(r.view)
		r.view = next
	}
	r.off, r.credited = 0, 0
	return r.view, nil
}

// consume gives the bytes that were taken back to the windows, so that the peer may send as many again.
func (r *receiving) consume(c *session, w *http2.Stream) {
	n := r.off - r.credited
	if r.credited = r.off; n == 0 || w == nil {
		return
	}
	c.wire.Consumed(w, n, c.Now())
	if c.wire.Pending() {
		c.outputReadyLocked(false)
	}
}

// takeWhole is Stream.TakeWholeLocked.
func (r *receiving) takeWhole(c *session, w *http2.Stream) (p []byte, ok bool) {
	if r.err != io.EOF || len(r.view) > 0 {
		return nil, false
	}
	p = r.in.whole()
	if w != nil {
		c.wire.Consumed(w, len(p), c.Now())
	}
	return p, true
}

// minRateDeadline returns until when fill may wait for the next bytes, 0 for no limit. A body for which reads have waited
// longer than Policy.RateGrace must have come at Policy.MinReadRate on average.
func (r *receiving) minRateDeadline(p *Policy, now int64) int64 {
	if p.MinReadRate <= 0 || r.noMinRate {
		return 0
	}
	due := max(int64(p.RateGrace), r.rateBytes*int64(time.Second)/int64(p.MinReadRate))
	return max(now+due-r.rateWaited, 1)
}
