package wiretest

import (
	"net"
	"os"
	"time"
)

// errTimeout is the error after a deadline has passed; it is a net.Error.
var errTimeout = os.ErrDeadlineExceeded

// addr is the address of an end of a pipe.
type addr string

func (a addr) Network() string { return "pipe" }
func (a addr) String() string  { return string(a) }

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "pipe", Err: err}
}

// deadline is a time after which waits fail. It is guarded by pipe.mu.
type deadline struct {
	pipe       *pipe
	timer      *time.Timer
	generation int // counts calls of set, so that a timer of an earlier call can tell that it is outdated
	passed     bool
}

// set sets the deadline to t; the zero time means none.
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

// stop stops the timer.
func (d *deadline) stop() {
	d.generation++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
