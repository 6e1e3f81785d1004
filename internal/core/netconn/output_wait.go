package netconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

//go:noinline
func (o *Output) slow() error {
	o.link.eng.stats.slow.Add(1)
	return ErrSlow
}

// waitPeer runs step, which waits for the peer to take output, until it succeeds. A wake makes step fail with a
// timeout; then waitPeer judges the peer and runs step again.
func (o *Output) waitPeer(step func() (int, error)) error {
	s := o.ensureStall()
	now := o.link.eng.clock.Now()
	s.beginWait(now)
	defer o.writeBy.Store(0)
	for {
		user := o.writeDeadline()
		at, err := o.judgePeer(s, now)
		if err != nil {
			return err
		}
		o.link.waitUntil(&o.writeBy, at)
		if o.writeDeadline() != user || o.link.mustNotWait() { // changed by a goroutine that did not yet see this wait
			now = o.link.eng.clock.Now()
			continue
		}
		n, err := step()
		began := now
		now = o.link.eng.clock.Now()
		s.addWait(now, now-began, n)
		if err == nil {
			s.progress = 0 // the next wait starts anew
			return nil
		}
		if !transport.TimedOut(err) {
			return err
		}
		if o.link.tr.Brittle() {
			return o.slow()
		}
		if !o.link.tr.WriterWoken() && n == 0 {
			return err // a deadline that was set on the net.Conn itself
		}
	}
}

// judgePeer returns an error if the peer is too slow, else when to check it again, 0 for never.
func (o *Output) judgePeer(s *stall, now clock.Moment) (at clock.Moment, err error) {
	if o.link.aborted() || o.link.mustNotWait() {
		return 0, ErrAbort
	}
	by, cfg := o.writeDeadline(), &o.link.eng.cfg
	if limit := o.writeTimeout(); limit > 0 {
		by = clock.Earlier(by, s.takesBy(&o.link.tr, now, int64(limit)))
	}
	if clock.Passed(by, now) || s.account.tooSlow(cfg, &o.link.tr, s.accepted.Load()) {
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

// The peer of a brittle transport is not checked during a write. It has a minute, with the default RateGrace, for a
// piece.
const brittleGrace = 12

// Progress says how far output has come.
type Progress struct {
	Taken       int64 // bytes that the peer has taken, as far as is known; only differences are meaningful
	Outstanding int64 // bytes that the system holds and the peer has not acknowledged
	Unsent      bool  // output waits in the queue, or is being sent
}

// Progress returns how far the output has come. What the system accepts says little about the peer, what the peer
// acknowledges says more; where that is not known, it is what the connection accepts.
func (o *Output) Progress() Progress {
	return Progress{
		Taken: o.link.tr.Taken(o.accepted()), Outstanding: int64(o.link.tr.Outstanding()), Unsent: o.out.Unsent(),
	}
}

// accepted returns how many bytes a connection that is not a socket has accepted. It never accepts any without a stall.
func (o *Output) accepted() int64 {
	o.link.mu.Lock()
	defer o.link.mu.Unlock()
	if o.stall == nil {
		return 0
	}
	return o.stall.accepted.Load()
}

// PeerBuffer returns how many bytes that the peer has taken may lie unread in its buffer.
func (o *Output) PeerBuffer() int64 { return o.link.tr.PeerBuffer() }

// SetWriteDeadline sets the deadline of every wait for the peer to take output; the zero time means none. After a wait
// has failed at the deadline, the connection can no longer be written to.
func (o *Output) SetWriteDeadline(t time.Time) error {
	o.setWriteDeadline(o.link.DueOf(t))
	return nil
}

// LimitWrites sets the write deadline to d from now. Time during which the process did not run does not count.
func (o *Output) LimitWrites(d time.Duration) {
	o.setWriteDeadline(o.link.DueIn(d))
}

func (o *Output) setWriteDeadline(at clock.Due) {
	o.link.ensureExtra().writeBy.Store(int64(at))
	if at != 0 {
		o.checkWriterBy(o.link.MomentOf(at))
	}
}

// WriteTimeLeft returns the time until the write deadline, at most most, and 0 if it has passed.
func (o *Output) WriteTimeLeft(most time.Duration) time.Duration {
	if at := o.writeDeadline(); at != 0 {
		return max(min(time.Duration(at-o.link.eng.clock.Now()), most), 0)
	}
	return most
}

// SetWriteTimeout overrides Config.WriteTimeout for this connection, for waits that begin later. A negative d means
// none.
func (o *Output) SetWriteTimeout(d time.Duration) {
	if max(d, 0) != o.writeTimeout() {
		o.link.ensureExtra().writeTimeout.Store(int64(d))
	}
}

// writeTimeout returns the limit of a wait for the peer to take another byte, 0 for none.
func (o *Output) writeTimeout() time.Duration {
	if w := o.link.extra.Load(); w != nil {
		if d := w.writeTimeout.Load(); d != 0 {
			return time.Duration(max(d, 0))
		}
	}
	return o.link.eng.cfg.WriteTimeout
}

// WriteExpired reports whether the write deadline has passed. A write would then fail and make all later writes fail; a
// caller can avoid that by asking first.
func (o *Output) WriteExpired() bool {
	return o.link.extra.Load() != nil && o.deadlinePassed()
}

// deadlinePassed is WriteExpired for a connection that may have a write deadline.
func (o *Output) deadlinePassed() bool {
	at := o.writeDeadline()
	return at != 0 && clock.Passed(at, o.link.eng.clock.Now())
}

// checkWriterBy makes sure that a wait for the peer in progress is checked no later than at.
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

// writeDeadline returns the deadline set by SetWriteDeadline, 0 for none.
func (o *Output) writeDeadline() clock.Moment {
	if w := o.link.extra.Load(); w != nil {
		return o.link.MomentOf(clock.Due(w.writeBy.Load()))
	}
	return 0
}
