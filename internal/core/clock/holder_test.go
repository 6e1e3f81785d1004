package clock_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

const tick = clock.Tick

// diary lists the calls that the holders of a clock got, in order: name and time.
type diary struct {
	*testing.T
	k *clock.Clock

	mu   sync.Mutex
	told []string
	seen int
}

// holder is a holder that writes to a diary.
type holder struct {
	d     *diary
	name  string
	place clock.Deadline
	next  func(now clock.Moment) clock.Moment // what Expired returns; nil: 0
}

func (h *holder) Deadline() *clock.Deadline { return &h.place }

func (h *holder) Expired(now clock.Moment) clock.Moment {
	h.d.mu.Lock()
	h.d.told = append(h.d.told, line(h.name, now))
	h.d.mu.Unlock()
	if h.next == nil {
		return 0
	}
	return h.next(now)
}

// call is a function that is called at a tick.
type call func()

// Tick implements clock.Ticked.
func (f call) Tick() { f() }

// line is a line of a diary. A manual clock begins at 1, so it is a nanosecond ahead: the line leaves that out.
func line(name string, now clock.Moment) string {
	return fmt.Sprintf("%s %v", name, time.Duration(now).Round(time.Microsecond))
}

// holder returns a new holder with a name.
func (d *diary) holder(name string) *holder { return &holder{d: d, name: name} }

// want checks which holders were called since the last want.
func (d *diary) want(why string, told ...string) {
	d.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.told[d.seen:]
	d.seen = len(d.told)
	if !slices.Equal(got, told) {
		d.Errorf("%s:\n got  %s\n want %s", why, strings.Join(got, ", "), strings.Join(told, ", "))
	}
}

// manual returns a diary of a manual clock.
func manual(t *testing.T) *diary { return &diary{T: t, k: clock.NewManual()} }

// in returns the moment d after the beginning of the clock, whose first moment is 1.
func in(d time.Duration) clock.Moment { return int64(d) + 1 }
