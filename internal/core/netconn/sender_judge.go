package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/output"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

//go:noinline
func (o *sender) slow() error {
	o.eng.stats.slow.Add(1)
	return ErrSlow
}

//go:noinline
func (o *sender) sendWaiting(b *transport.Batch, last bool) error {
	return o.waitPeer(func() (int, error) {
		n, err := o.tr.Send(b, last)
		if n > 0 {
			o.sent(n, transport.NoDescriptor)
		}
		return n, err
	})
}

// sendNow sends the rest of f for Quit: the socket has refused to take more, unless that was a wake.
//
//go:noinline
func (o *sender) sendNow(f *output.Flight) error {
	if !o.tr.Socket() {
		return o.sendWaiting(&f.Batch, f.Last)
	}
	if o.tr.WriterWoken() {
		n, err := o.tr.TrySend(&f.Batch, transport.NoDescriptor, f.Last)
		if n > 0 {
			o.sent(n, transport.NoDescriptor)
		}
		if err != nil || f.Empty() && !o.tr.Unsent() {
			return err
		}
	}
	return ErrAbort
}

// waitPeer runs step, which waits for the peer to take output, until it succeeds. A wake makes step fail with a
// timeout; then waitPeer judges the peer and runs step again.
func (o *sender) waitPeer(step func() (int, error)) error {
	s := o.ensureStall()
	now := o.eng.clock.Now()
	s.Begin(now)
	defer o.writeBy.Store(0)
	for {
		user := o.writeDeadline()
		at, err := o.judgePeer(s, now)
		if err != nil {
			return err
		}
		o.waitUntil(&o.writeBy, at)
		if o.writeDeadline() != user || o.mustNotWait() { // changed by a goroutine that did not yet see this wait
			now = o.eng.clock.Now()
			continue
		}
		n, err := step()
		began := now
		now = o.eng.clock.Now()
		s.Add(now, now-began, n)
		if err == nil {
			s.End()
			return nil
		}
		if !transport.TimedOut(err) {
			return err
		}
		if o.tr.Brittle() {
			return o.slow()
		}
		if !o.tr.WriterWoken() && n == 0 {
			return err // a deadline that was set on the net.Conn itself
		}
	}
}

// judgePeer returns an error if the peer is too slow, else when to check it again, 0 for never.
func (o *sender) judgePeer(s *stall, now clock.Moment) (at clock.Moment, err error) {
	if o.aborted() || o.mustNotWait() {
		return 0, ErrAbort
	}
	by, rates := o.writeDeadline(), &o.eng.rates
	if limit := o.writeLimit(); limit > 0 {
		by = clock.Earlier(by, s.TakesBy(&o.tr, now, int64(limit)))
	}
	if clock.Passed(by, now) || s.TooSlow(rates, &o.tr) {
		return 0, o.slow()
	}
	return clock.Earlier(by, s.Due(rates, &o.tr, now)), nil
}

// ensureStall returns o.stall and creates it if necessary. Only the flusher may call it.
func (o *sender) ensureStall() *stall {
	if o.stall == nil {
		s := &stall{resume: func() { o.resume() }, flushLeft: o.flushLeft}
		o.mu.Lock() // Event reads o.stall
		o.stall = s
		o.mu.Unlock()
	}
	return o.stall
}
