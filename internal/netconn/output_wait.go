package netconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/transport"
)

//go:noinline
func (o *Output) slow() error {
	o.link.eng.stats.slow.Add(1)
	return ErrSlow
}

// waitPeer runs step, which waits for the peer to take something, until it succeeds. A wake makes it fail with a timeout;
// then the peer is judged and step is run again.
func (o *Output) waitPeer(step func() (int, error)) error {
	s := o.ensureStall()
	now := o.link.eng.clock.Now()
	s.progress = now
	defer o.writeBy.Store(0)
	for {
		user := o.writeDeadline()
		at, err := o.judgePeer(s, now)
		if err != nil {
			return err
		}
		o.link.waitUntil(&o.writeBy, at)
		if o.writeDeadline() != user || o.link.mustNotWait() { // by somebody who did not yet see that we wait
			now = o.link.eng.clock.Now()
			continue
		}
		n, err := step()
		began := now
		now = o.link.eng.clock.Now()
		s.addWait(now, now-began, n)
		if err == nil {
			s.progress = 0 // the next wait is another one
			return nil
		}
		if !transport.TimedOut(err) {
			return err
		}
		if o.link.tr.Brittle() {
			return o.slow()
		}
		if !o.link.tr.WriterWoken() && n == 0 {
			return err // a deadline that somebody else has set
		}
	}
}

// patience judges the peer at now. It returns when to look at it again, 0 for never.
func (o *Output) judgePeer(s *stall, now clock.Moment) (at clock.Moment, err error) {
	if o.link.aborted() || o.link.mustNotWait() {
		return 0, ErrAbort
	}
	by, cfg := o.writeDeadline(), &o.link.eng.cfg
	if limit := o.writeTimeout(); limit > 0 {
		by = clock.Earlier(by, clock.After(s.progress, limit))
	}
	if clock.Passed(by, now) || s.account.tooSlow(cfg, &o.link.tr) {
		return 0, o.slow()
	}
	if cfg.MinWriteRate > 0 {
		look := s.account.next(cfg)
		if o.link.tr.Brittle() {
			look = brittleGrace * int64(cfg.RateGrace)
		}
		by = clock.Earlier(by, now+look)
	}
	return by, nil
}

// A brittle transport is not looked at while it writes. It gets a minute, with the usual RateGrace, for a piece.
const brittleGrace = 12

// SetWriteDeadline bounds every wait for the peer to take something; the zero time is none. When it has passed within one
// the connection cannot be written to any more.
func (o *Output) SetWriteDeadline(t time.Time) error {
	at := o.link.eng.clock.At(t)
	o.link.ensureExtra().writeBy.Store(at)
	if at != 0 {
		o.checkWriterBy(at)
	}
	return nil
}

// SetWriteTimeout sets this connection's Config.WriteTimeout, for waits that begin afterwards; a negative d is none.
func (o *Output) SetWriteTimeout(d time.Duration) {
	if max(d, 0) != o.writeTimeout() {
		o.link.ensureExtra().writeTimeout.Store(int64(d))
	}
}

// writeTimeout is the longest wait for the peer to take another byte, 0 for any.
func (o *Output) writeTimeout() time.Duration {
	if w := o.link.extra.Load(); w != nil {
		if d := w.writeTimeout.Load(); d != 0 {
			return time.Duration(max(d, 0))
		}
	}
	return o.link.eng.cfg.WriteTimeout
}

// WriteExpired reports whether the write deadline has passed: what is sent now fails, and ends writing. Who would rather be
// refused asks before.
func (o *Output) WriteExpired() bool {
	at := o.writeDeadline()
	return at != 0 && clock.Passed(at, o.link.eng.clock.Now())
}

// hasten has a wait for the peer that is under way be looked at no later than at.
func (o *Output) checkWriterBy(at clock.Moment) {
	for by := o.writeBy.Load(); by > at; by = o.writeBy.Load() {
		if !o.writeBy.CompareAndSwap(by, at) {
			continue
		}
		if now := o.link.eng.clock.Now(); clock.Passed(at, now) {
			at = o.checkWriter(now)
		}
		o.link.eng.clock.Arm(o.link, at)
		return
	}
}

// writeDeadline is what was set, 0 for none.
func (o *Output) writeDeadline() clock.Moment {
	if w := o.link.extra.Load(); w != nil {
		return w.writeBy.Load()
	}
	return 0
}
