package wiretest

import (
	"net"
	"os"
	"time"
)

// errTimeout is what a passed deadline gives; it is a net.Error.
var errTimeout = os.ErrDeadlineExceeded

// addr is the address of an end of a pipe.
type addr string

func (a addr) Network() string { return "pipe" }
func (a addr) String() string  { return string(a) }

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "pipe", Err: err}
}

// deadline is a point in time after which waits fail. Guarded by pipe.mu.
type deadline struct {
	pipe       *pipe
	timer      *time.Timer
	generation int // counts calls of set, so that a timer that fired late knows that it is old
	passed     bool
}

// set makes t the deadline; the zero time is none.
func (d *deadline) set(t time.Time) {
	d.stop()
	d.passed = false
	if t.IsZero() {
		return
	}
	wait := time.Until(t)
	if wait <= 0 {
		d.passed = true
		d.pipe.changed.Broadcast()
		return
	}
	mine := d.generation
	d.timer = time.AfterFunc(wait, func() {
		d.pipe.mu.Lock()
		defer d.pipe.mu.Unlock()
		if mine == d.generation {
			d.passed = true
			d.pipe.changed.Broadcast()
		}
	})
}

// stop forgets the timer.
func (d *deadline) stop() {
	d.generation++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
