package http3

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// wait is what limits how long one half of a stream waits for the client. conn.mu guards it, but for the fields that say otherwise.
// While a goroutine waits in a call of QUIC's, conn.Expired ends that call when the time has come.
type wait struct {
	deadline    clock.Due    // the user's; 0: none
	until       clock.Moment // of the head; 0: none; the reader's own
	by          clock.Moment // when this wait is too slow; 0: never
	waiting     bool
	interrupted error // set by Interrupt
}

// pace holds a client to a rate. A message for which somebody has waited longer than the grace must have come at the rate on average.
type pace struct {
	waited int64 // nanoseconds of waiting so far
	bytes  int64 // what came meanwhile
}

// left returns how much longer to wait, at a rate in bytes a second; 0 is for ever.
func (p *pace) left(rate int, grace time.Duration) time.Duration {
	if rate <= 0 {
		return 0
	}
	due := max(int64(grace), p.bytes*int64(time.Second)/int64(rate))
	return time.Duration(max(due-p.waited, 1))
}

// beginWait begins a wait that may go on for limit; 0 is for ever.
func (m *stream) beginWait(w *wait, limit time.Duration) (began clock.Moment, err error) {
	k, c := m.k, m.s.clock
	k.mu.Lock()
	defer k.mu.Unlock()
	now := c.Now()
	switch {
	case w.interrupted != nil:
		return 0, w.interrupted
	case clock.Passed(c.Moment(w.deadline), now), clock.Passed(w.until, now):
		return 0, netconn.ErrSlow
	}
	w.by = w.until
	if limit > 0 {
		w.by = clock.Earlier(w.by, clock.After(now, limit))
	}
	w.waiting = true
	c.Arm(k, clock.Earlier(c.Moment(w.deadline), w.by))
	return now, nil
}

// endWait ends a wait. It returns how long it was, and why the call was interrupted: nil if it was not, or for nothing.
func (m *stream) endWait(w *wait, began clock.Moment) (waited int64, why error) {
	k, c := m.k, m.s.clock
	k.mu.Lock()
	defer k.mu.Unlock()
	w.waiting = false
	now := c.Now()
	switch {
	case w.interrupted != nil:
		return now - began, w.interrupted
	case clock.Passed(c.Moment(w.deadline), now), clock.Passed(w.by, now):
		return now - began, netconn.ErrSlow
	}
	return now - began, nil
}

// expire interrupts the calls of m whose time has come, and returns when the next one's comes, 0 for never. The caller must hold
// conn.mu.
func (m *stream) expire(now clock.Moment) (next clock.Moment) {
	r, w := &m.reader.wait, &m.writer.wait
	if at := m.due(r); clock.Passed(at, now) {
		m.str.interruptRead()
	} else {
		next = at
	}
	if at := m.due(w); clock.Passed(at, now) {
		m.str.interruptWrite()
	} else {
		next = clock.Earlier(next, at)
	}
	return next
}

// due returns when a call that waits is to be interrupted, 0 for never.
func (m *stream) due(w *wait) clock.Moment {
	if !w.waiting {
		return 0
	}
	return clock.Earlier(m.s.clock.Moment(w.deadline), w.by)
}

// SetTimeouts implements carrier.Writer.
func (m *stream) SetTimeouts(read, write time.Duration) {
	now := m.s.clock.Now()
	m.k.mu.Lock()
	defer m.k.mu.Unlock()
	if read > 0 {
		m.reader.wait.deadline = clock.Limit(clock.After(now, read))
	}
	if write > 0 {
		m.writer.timed.Store(true)
		m.writer.wait.deadline = clock.Limit(clock.After(now, write))
	}
}

// SetReadDeadline implements carrier.Link.
func (m *stream) SetReadDeadline(t time.Time) error { return m.setDeadline(&m.reader.wait, t) }

// SetWriteDeadline implements carrier.Link.
func (m *stream) SetWriteDeadline(t time.Time) error {
	m.writer.timed.Store(true)
	return m.setDeadline(&m.writer.wait, t)
}

func (m *stream) setDeadline(w *wait, t time.Time) error {
	var due clock.Due
	if !t.IsZero() {
		m.s.clock.At(t) // if it is not in the future, it has come
		due = m.s.clock.Due(t)
	}
	m.k.mu.Lock()
	defer m.k.mu.Unlock()
	w.deadline = due
	if w.waiting {
		m.s.clock.Arm(m.k, max(m.due(w), 1))
	}
	return nil
}

// ReadExpired implements carrier.Tunnel.
func (m *stream) ReadExpired() bool {
	m.k.mu.Lock()
	defer m.k.mu.Unlock()
	return clock.Passed(m.s.clock.Moment(m.reader.wait.deadline), m.s.clock.Now())
}

// Interrupt implements carrier.Tunnel.
func (m *stream) Interrupt(err error) {
	m.k.mu.Lock()
	m.reader.wait.interrupted, m.writer.wait.interrupted = err, err
	m.k.mu.Unlock()
	m.str.interruptRead()
	m.str.interruptWrite()
}
