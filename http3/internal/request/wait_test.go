package request

import (
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// holder is asked by a clock when a wait is to end. It implements clock.Holder.
type holder struct {
	place clock.Deadline
	c     *clock.Clock
	half  half
	ended int // waits that were interrupted
}

func (h *holder) Deadline() *clock.Deadline { return &h.place }

func (h *holder) Expired(now clock.Moment) clock.Moment {
	return h.half.expire(h.c, now, func() { h.ended++ })
}

func newHolder() *holder { return &holder{c: clock.NewManual()} }

// wait waits for d, within limit. It returns how long that was counted, and why it was ended.
func (h *holder) wait(t *testing.T, limit, d time.Duration) (time.Duration, error) {
	t.Helper()
	began, err := h.half.begin(h.c, h, limit)
	if err != nil {
		return 0, err
	}
	h.c.Advance(d)
	waited, why := h.half.end(h.c, began)
	return time.Duration(waited), why
}

// TestHalf: a wait ends when its time, the head's or the user's has come, and is interrupted then, once; a wait that has ended is not.
func TestHalf(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		limit, head, user time.Duration // 0: none
		d                 time.Duration
		why               error
		interrupts        int
	}{
		"no limit":             {d: 5 * time.Minute},
		"within its time":      {limit: 2 * second, d: second},
		"at its time":          {limit: 2 * second, d: 2 * second, why: netconn.ErrSlow, interrupts: 1},
		"within the head's":    {limit: time.Minute, head: 2 * second, d: second},
		"at the head's":        {limit: time.Minute, head: 2 * second, d: 2 * second, why: netconn.ErrSlow, interrupts: 1},
		"the wait's is sooner": {limit: second, head: 2 * second, d: second, why: netconn.ErrSlow, interrupts: 1},
		"within the user's":    {user: 2 * second, d: second},
		"at the user's":        {user: 2 * second, limit: time.Minute, d: 3 * second, why: netconn.ErrSlow, interrupts: 1},
	} {
		h := newHolder()
		if c.head > 0 {
			h.half.headBy = clock.After(h.c.Now(), c.head)
		}
		h.half.limit(h.c, c.user)
		waited, why := h.wait(t, c.limit, c.d)
		if waited != c.d || why != c.why || h.ended != c.interrupts {
			t.Errorf("%s: waited %v, %v, %d interrupts", name, waited, why, h.ended)
		}
		h.c.Advance(5 * time.Minute)
		if h.ended != c.interrupts {
			t.Errorf("%s: interrupted behind its end", name)
		}
	}
}

// TestHalfDeadline: the user's deadline holds for later waits, and for the one that goes on, until another one is set, or none.
func TestHalfDeadline(t *testing.T) {
	h := newHolder()
	set := func(at time.Time) { h.half.setDeadline(h.c, h, at) }
	now := func() time.Time { return h.c.Wall() }
	if h.half.hasPassed(h.c) {
		t.Error("passed without one")
	}
	set(now().Add(-time.Second))
	if _, err := h.wait(t, 0, 0); err != netconn.ErrSlow || !h.half.hasPassed(h.c) {
		t.Errorf("one in the past: %v", err)
	}
	set(time.Time{})
	if waited, err := h.wait(t, 0, 5*time.Minute); waited != 5*time.Minute || err != nil || h.half.hasPassed(h.c) {
		t.Errorf("none: %v after %v", err, waited)
	}
	h.half.limit(h.c, time.Minute)
	h.half.limit(h.c, 0) // leaves it as it is
	if _, err := h.wait(t, 0, time.Minute); err != netconn.ErrSlow || h.ended != 1 || !h.half.hasPassed(h.c) {
		t.Errorf("a limit: %v, %d interrupts", err, h.ended)
	}
	h = newHolder()
	began, err := h.half.begin(h.c, h, 0)
	if err != nil {
		t.Fatal(err)
	}
	set(now().Add(time.Minute))
	h.c.Advance(59 * time.Second)
	if h.ended != 0 {
		t.Error("the wait is interrupted too early")
	}
	h.c.Advance(2 * time.Second)
	if _, why := h.half.end(h.c, began); why != netconn.ErrSlow || h.ended != 1 {
		t.Errorf("a deadline during a wait: %v, %d interrupts", why, h.ended)
	}
	h.half.reset()
	if waited, err := h.wait(t, 0, 5*time.Minute); waited != 5*time.Minute || err != nil || h.half.hasPassed(h.c) {
		t.Errorf("of another stream: %v after %v", err, waited)
	}
}

// TestHalfInterrupted: waits fail with the error that they were interrupted with, until the half is another stream's.
func TestHalfInterrupted(t *testing.T) {
	h, stopped := newHolder(), errors.New("stopped")
	began, err := h.half.begin(h.c, h, 0)
	if err != nil || h.half.isInterrupted() {
		t.Fatal(err)
	}
	h.half.interrupt(stopped)
	if _, why := h.half.end(h.c, began); why != stopped || !h.half.isInterrupted() {
		t.Errorf("the wait that went on: %v", why)
	}
	if _, err := h.half.begin(h.c, h, 0); err != stopped {
		t.Errorf("a later one: %v", err)
	}
	h.half.reset()
	if _, err := h.wait(t, 0, time.Second); err != nil || h.half.isInterrupted() {
		t.Errorf("of another stream: %v", err)
	}
}

// TestPace: a message has the grace, or as long as its bytes take at the rate; what was waited counts; without a rate there is no limit.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		waited time.Duration
		bytes  int64
		rate   int
		want   time.Duration
	}{
		{0, 0, 100, 5 * time.Second}, {2 * time.Second, 0, 100, 3 * time.Second}, {0, 1000, 100, 10 * time.Second},
		{4 * time.Second, 1000, 100, 6 * time.Second}, {time.Hour, 0, 100, 1}, {time.Hour, 0, 0, 0}, {0, 0, -1, 0},
	} {
		p := pace{waited: int64(c.waited), bytes: c.bytes}
		if got := p.left(c.rate, 5*time.Second); got != c.want {
			t.Errorf("%d bytes in %v: %v are left, want %v", c.bytes, c.waited, got, c.want)
		}
	}
}
