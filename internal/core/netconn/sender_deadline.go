package netconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// WriteExpired reports whether the write deadline has passed. A write would then fail and make all later writes fail; a
// caller can avoid that by asking first.
func (o *sender) WriteExpired() bool {
	return o.extra.Load() != nil && o.writeDeadlinePassed()
}

// writeDeadlinePassed is WriteExpired for a connection that may have a write deadline.
func (o *sender) writeDeadlinePassed() bool {
	at := o.writeDeadline()
	return at != 0 && clock.Passed(at, o.eng.clock.Now())
}

// writeDeadline returns the deadline set by SetWriteDeadline, 0 for none.
func (o *sender) writeDeadline() clock.Moment {
	if x := o.extra.Load(); x != nil {
		return o.MomentOf(clock.Due(x.writeBy.Load()))
	}
	return 0
}

func (o *sender) setWriteDeadline(at clock.Due) {
	o.ensureExtra().writeBy.Store(int64(at))
	if at != 0 {
		o.checkWriterBy(o.MomentOf(at))
	}
}

// writeLimit returns the limit of a wait for the peer to take another byte, 0 for none.
func (o *sender) writeLimit() time.Duration {
	if x := o.extra.Load(); x != nil {
		if d := x.writeTimeout.Load(); d != 0 {
			return time.Duration(max(d, 0))
		}
	}
	return o.eng.writeTimeout
}

// setWriteLimit overrides the engine's limit for waits that begin later. A negative d means none.
func (o *sender) setWriteLimit(d time.Duration) {
	if max(d, 0) != o.writeLimit() {
		o.ensureExtra().writeTimeout.Store(int64(d))
	}
}
